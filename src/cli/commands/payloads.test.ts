import { expect, test } from 'vitest';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { knowController, testCli } from '../../testing/cli.ts';
import { testController } from '../../testing/controller.ts';

test('payloads are listed in Juju’s format, and selected by patterns', async () => {
  using cli = testCli();
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  const model = await controller.addModel('work');
  await cli.run('switch work');
  expect(await cli.run('payloads')).toEqual({ code: 0, stdout: '', stderr: 'No payloads to display.\n' });
  await controller.running().store.change((tx) => {
    const web = { class: 'spam', type: 'docker', status: 'running' } as const;
    tx.in(model).put('payloads', 'b/0', {
      unit: 'b/0',
      payloads: { 'spam/1': { ...web, id: '1', labels: [], status: 'stopped' } },
    });
    tx.in(model).put('payloads', 'a-long-one/0', {
      unit: 'a-long-one/0',
      payloads: { 'spam/1': { ...web, id: '1', labels: ['x', 'other'] } },
    });
  }, 'test');
  expect((await cli.run('payloads')).stdout).toBe(
    [
      '[Unit Payloads]',
      'Unit          Machine  Payload class  Status   Type    Id  Tags     ',
      'a-long-one/0           spam           running  docker  1   x other  ',
      'b/0                    spam           stopped  docker  1            ',
      '',
    ].join('\n'),
  );
  expect((await cli.run('list-payloads OTHER --format yaml')).stdout).toBe(
    [
      '- unit: a-long-one/0',
      '  machine: ""',
      '  id: "1"',
      '  type: docker',
      '  payload-class: spam',
      '  tags:',
      '  - x',
      '  - other',
      '  status: running',
      '',
    ].join('\n'),
  );
  expect(JSON.parse((await cli.run('payloads stopped --format json')).stdout)).toMatchObject([
    { unit: 'b/0', status: 'stopped' },
  ]);
});
