import { afterAll, expect, test } from 'vitest';
import type { StoreReported } from '../../wire/facades/store-report.ts';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { knowController, testCli } from '../../testing/cli.ts';
import { testController } from '../../testing/controller.ts';

const cli = testCli();
afterAll(() => cli[Symbol.dispose]());

test('store-report gives the same report from a running controller and from the files of a stopped one', async () => {
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  const model = await controller.addModel('work');
  const connection = await controller.connect(model);
  const note = 'n'.repeat(30_000);
  await connection.call('Annotations', 'Set', {
    annotations: [{ entity: `model-${model}`, annotations: { note } }],
  });
  await connection.close();

  const { code, stdout, stderr } = await cli.run('store-report');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Store +Size\ndatabase +\d+\.\d [KM]iB\n/);
  expect(stdout).toMatch(/^Model +Largest document +Size +History\nadmin\/work +\S+ .* (29|30)\.\d KiB/m);
  const json = async (more = ''): Promise<StoreReported> =>
    JSON.parse((await cli.run(`store-report --format json${more}`)).stdout) as StoreReported;
  const running = await json();
  expect(running.documents[0]).toMatchObject({ model: 'admin/work' });
  expect(running.documents[0]!.live).toBeGreaterThan(30_000);

  await controller.running().stop();
  const offline = await json(` --data-dir ${controller.dataDir}`);
  // The stopped controller's report names the model by its UUID.
  expect(offline.documents[0]).toEqual({ ...running.documents[0], model });
  await controller.restart();
});
