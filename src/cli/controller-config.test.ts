import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isChangeable, withInitialValues } from '../core/controller/config.ts';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli } from '../testing/cli.ts';
import { testController } from '../testing/controller.ts';

test('settings of the controller are shown, changed and refused, and models say that they need no upgrade', async () => {
  using cli = testCli();
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  await controller.addModel('work');
  await cli.run('switch work');
  const run = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await cli.run(line);
    return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
  };

  expect(await run('controller-config controller-name')).toBe('test\n');
  expect(await run('controller-config auditing-enabled=false max-model-size=1048576000')).toBe('');
  expect(await run('controller-config max-model-size')).toBe('1048576000\n');
  expect(JSON.parse(await run('controller-config --format json'))).toMatchObject({
    'auditing-enabled': false,
  });
  expect(await run('controller-config')).toMatch(/^Attribute +Value\n[^]*auditing-enabled +false\n/);
  expect(await run('controller-config nothing')).toBe(
    '1: ERROR key "nothing" not found in controller "ctrl"\n',
  );
  expect(await run('controller-config api-port=1 colour=red')).toBe(
    '1: ERROR invalid or read-only controller config values cannot be updated: [api-port colour]\n',
  );
  expect(await run('controller-config auditing-enabled=maybe')).toBe(
    '1: ERROR auditing-enabled: expected a boolean, got "maybe"\n',
  );
  const file = join(cli.folder, 'controller.yaml');
  writeFileSync(file, 'api-port: 4\nmax-model-size: 7000000\n');
  expect(await run(`controller-config --file ${file}`)).toMatch('cannot be updated: [api-port]');
  expect(await run(`controller-config --file ${file} --ignore-read-only-fields`)).toBe('');
  expect(await run('controller-config max-model-size --format json')).toBe('7000000\n');

  // Settings can be set to the values shown, which changes nothing.
  const shown = await run('controller-config --format yaml');
  expect(shown).toMatch(/^agent-ratelimit-rate: 250ms$/m);
  writeFileSync(file, shown);
  expect(await run(`controller-config --file ${file} --ignore-read-only-fields`)).toBe('');
  expect(await run('controller-config --format yaml')).toBe(shown);
  expect(await run('controller-config query-tracing-enabled=true')).toBe(
    '1: ERROR controller config setting "query-tracing-enabled" not supported\n',
  );

  expect(await run('upgrade-model')).toBe('no upgrades available\n');
  expect(await run('upgrade-model --agent-version 3.6.1')).toBe('1: ERROR downgrade not supported\n');
});

test('the reference of controller settings describes each changeable setting once', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/controller-settings.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  // Names that begin alike are listed as `prefix-…`.
  const names = rows.flatMap((row) =>
    [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
  const tells = (name: string, key: string): boolean =>
    name.endsWith('…') ? key.startsWith(name.slice(0, -1)) : name === key;
  const keys = Object.keys(withInitialValues({})).filter(isChangeable);
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((key) => names.filter((name) => tells(name, key)).length !== 1)).toEqual([]);
  expect(names.filter((name) => !name.endsWith('…') && !isChangeable(name))).toEqual([]);
});
