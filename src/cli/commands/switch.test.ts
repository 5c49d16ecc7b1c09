import { expect, test } from 'vitest';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { knowController, testCli } from '../../testing/cli.ts';
import { testController } from '../../testing/controller.ts';

test('switch without a current model prints the controller’s bare name on stdout, and marks it as a controller in messages', async () => {
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

test('a name that is neither a controller nor a model is refused, with and without a current controller', async () => {
  using cli = testCli();
  for (const name of ['old', ':old'])
    expect(await cli.run(`switch ${name}`)).toEqual({
      code: 1,
      stdout: '',
      stderr: `ERROR "${name}" is not the name of a model or controller\n`,
    });
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  expect((await cli.run('switch old')).stderr).toMatch(
    /^ERROR "old" is not the name of a model or controller/,
  );
});
