import { expect, test } from 'vitest';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { knowController, testCli } from '../../testing/cli.ts';
import { testController } from '../../testing/controller.ts';

test('without a model, scripts get the name of the controller, and people what it is', async () => {
  using cli = testCli();
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  expect(await cli.run('switch')).toEqual({ code: 0, stdout: 'ctrl\n', stderr: '' });
  await controller.addModel('work');
  expect(await cli.run('switch work')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'ctrl (controller) -> ctrl:admin/work\n',
  });
  expect(await cli.run('switch')).toEqual({ code: 0, stdout: 'ctrl:admin/work\n', stderr: '' });
});
