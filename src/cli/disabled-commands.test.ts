import { expect, test } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli } from '../testing/cli.ts';
import { testController } from '../testing/controller.ts';

test('commands are disabled, listed, refused with the way to enable them, and enabled again', async () => {
  using cli = testCli();
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  await controller.addModel('work');
  await cli.run('switch work');
  const run = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await cli.run(line);
    return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
  };
  const advice = (text: string, set: string): string => `\n${text}\n\n    grigri enable-command ${set}\n\n`;

  expect(await run('disable-command')).toBe(
    '2: ERROR missing command set (all, destroy-model, remove-object)\n',
  );
  expect(await run('disable-command most')).toBe(
    '2: ERROR bad command set, valid options: all, destroy-model, remove-object\n',
  );
  expect(await run('disabled-commands')).toBe('No commands are currently disabled.\n');
  expect(await run('disable-command destroy-model')).toBe('');
  expect(await run('disable-command all Ask the team first.')).toBe('');
  expect(await run('disabled-commands')).toBe(
    ['Disabled commands  Message', 'destroy-model      ', 'all                Ask the team first.', ''].join(
      '\n',
    ),
  );
  expect(JSON.parse(await run('list-disabled-commands --format json'))).toEqual([
    { 'command-set': 'destroy-model' },
    { 'command-set': 'all', message: 'Ask the team first.' },
  ]);
  expect(JSON.parse(await run('disabled-commands --all --format json'))).toMatchObject([
    { name: 'work', owner: 'admin', 'disabled-commands': ['destroy-model', 'all'] },
  ]);
  expect(await run('model-config logging-config=<root>=DEBUG')).toBe(
    `1: ERROR Ask the team first.\n${advice('All operations that change model have been disabled for the current model.\nTo enable changes, run', 'all')}`,
  );
  expect(await run('destroy-model work --no-prompt')).toBe(
    `1: ERROR the operation has been blocked\n${advice('The destroy-model operation has been disabled for model "ctrl:admin/work".\nTo enable it, run', 'destroy-model -m ctrl:admin/work')}`,
  );
  for (const flag of ['-m ctrl:work', '--model=ctrl:work'])
    expect(await run(`model-config ${flag} logging-config=<root>=DEBUG`)).toBe(
      `1: ERROR Ask the team first.\n${advice('All operations that change model have been disabled for model "ctrl:work".\nTo enable changes, run', 'all -m ctrl:work')}`,
    );
  const inWork = { env: { JUJU_MODEL: 'work' } };
  expect((await cli.run('model-config logging-config=<root>=DEBUG', inWork)).stderr).toContain(
    'grigri enable-command all -m work\n',
  );
  await run('disable-command -m controller all');
  expect(await run('upgrade-controller')).toContain('    grigri enable-command all -m ctrl:controller\n');
  await run('enable-command -m controller all');
  expect(await run('destroy-model work --dry-run')).toContain('the operation has been blocked');
  const refused = await run('destroy-controller --no-prompt --destroy-all-models ctrl');
  expect(refused).toContain('\twork (destroy-model, all)\n');
  expect(refused).toContain('    grigri enable-destroy-controller\n');

  expect(await run('enable-command all')).toBe('');
  expect(await run('model-config logging-config=<root>=DEBUG')).toBe('');
  expect(await run('enable-destroy-controller')).toBe('');
  expect(await run('disabled-commands --all')).toBe('No commands are currently disabled.\n');
});
