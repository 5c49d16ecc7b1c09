/** Secret backends by the commands, with a controller whose workers run and a server with Vault's API. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeVault } from '../testing/fake-vault.ts';

let controller: TestController;
let cli: TestCli;
let vault: FakeVault;
beforeEach(async () => {
  vault = await FakeVault.start();
  controller = await testController(createSimulatedProvider());
  cli = testCli();
  await knowController(cli, controller);
  await ok('add-model shop');
});
afterEach(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
  await vault[Symbol.asyncDispose]();
});

async function ok(line: string | readonly string[]): Promise<string> {
  const run = await cli.run(line);
  expect(run, run.stderr).toMatchObject({ code: 0 });
  return run.stdout;
}
const add = (): Promise<string> =>
  ok(`add-secret-backend myvault vault endpoint=${vault.endpoint} token=root`);
const refused = async (line: string): Promise<string> => {
  const run = await cli.run(line);
  expect(run.code).not.toBe(0);
  return run.stderr;
};
const values = (): string[] =>
  Object.values(vault.contents()).flatMap((engine) =>
    Object.values(engine).map((content) => (content as Record<string, string>)['token']!),
  );
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const reveal = async (secret: string): Promise<string> =>
  (await ok(`show-secret ${secret} --reveal`)).match(/token: (\S+)/)?.[1] ?? '';

test('a value that begins with @ is read from a file', async () => {
  writeFileSync(join(cli.folder, 'token'), 'root');
  await ok(`add-secret-backend myvault vault endpoint=${vault.endpoint} token=@token`);
  expect(await refused(`update-secret-backend myvault token=@nowhere`)).toContain('no such file: nowhere');
});

test('a backend is added, listed, shown without its token, changed and removed', async () => {
  writeFileSync(
    join(cli.folder, 'vault.yaml'),
    `endpoint: ${vault.endpoint}\ntoken: root\nnamespace: team\n`,
  );
  await ok('add-secret-backend myvault vault --config vault.yaml token-rotate=720h');
  expect(await ok('secret-backends')).toBe(
    'Name      Type        Secrets  Message\ninternal  controller        0  \nmyvault   vault             0  \n',
  );
  const shown = await ok('show-secret-backend myvault');
  expect(shown.replace(/id: \S+/, 'id: ID')).toBe(
    `myvault:\n  backend: vault\n  token-rotate-interval: 720h\n  config:\n    endpoint: ${vault.endpoint}\n    namespace: team\n  secrets: 0\n  status: active\n  id: ID\n`,
  );
  expect(await ok('show-secret-backend myvault --reveal')).not.toContain('root');
  await ok('update-secret-backend myvault --reset namespace,token-rotate');
  expect(await ok('show-secret-backend myvault')).not.toMatch(/namespace|rotate/);
  expect(await refused('update-secret-backend myvault token=wrong')).toContain(
    'secret backend "myvault" does not accept the token',
  );
  await ok('update-secret-backend myvault token=wrong --force');
  expect(JSON.parse(await ok('secret-backends --format json'))).toMatchObject({
    myvault: { status: 'error', message: 'secret backend "myvault" does not accept the token for this' },
  });
  await ok('update-secret-backend myvault name=other token=root');
  expect(await refused('remove-secret-backend myvault')).toContain('secret backend "myvault" not found');
  await ok('remove-secret-backend other');
  expect(Object.keys(JSON.parse(await ok('secret-backends --format json')) as object)).toEqual(['internal']);
});

test('contents of secrets move to the backend that the model chooses, and nothing is left in the former one', async () => {
  await add();
  await ok('add-secret first token=one');
  expect(await ok('model-secret-backend')).toBe('auto\n');
  await ok('model-secret-backend myvault');
  expect(await ok('model-secret-backend')).toBe('myvault\n');
  await ok('add-secret second token=two');
  await eventually(async () => {
    expect(values().toSorted()).toEqual([base64('one'), base64('two')].toSorted());
    expect(await ok('secret-backends')).toMatch(/internal +controller +0 .*\nmyvault +vault +2 /);
  });
  expect([await reveal('first'), await reveal('second')]).toEqual(['one', 'two']);
  expect(await ok('show-secret first --revisions')).toContain('backend: myvault');
  expect(await ok('show-model')).toContain(
    '  secret-backends:\n    myvault:\n      num-secrets: 2\n      status: active\n',
  );
  await ok('update-secret first token=one');
  expect(await ok('show-secret first'), 'the same content makes no revision').toContain('revision: 1');
  expect(await refused('remove-secret-backend myvault')).toContain(
    'backend "myvault" still contains secret content',
  );
  await ok('remove-secret second');
  await eventually(() => expect(values()).toEqual([base64('one')]));
  await ok('model-secret-backend auto');
  await eventually(() => expect(values()).toEqual([]));
  expect(await reveal('first')).toBe('one');
  await ok('remove-secret-backend myvault');
});

test('errors name a backend that is down, and nothing is lost or half done', async () => {
  await add();
  await ok('model-secret-backend myvault');
  await ok('add-secret first token=one');
  vault.isSealed = true;
  expect(await refused('add-secret second token=two')).toContain('secret backend "myvault" is sealed');
  expect(await refused('update-secret first token=three')).toContain('secret backend "myvault" is sealed');
  expect(JSON.parse(await ok('show-secret first --reveal --format json'))).toMatchObject(
    Object.fromEntries(
      Object.keys(JSON.parse(await ok('secrets --format json')) as object).map((id) => [
        id,
        { revision: 1, error: expect.stringContaining('secret backend "myvault" is sealed') as string },
      ]),
    ),
  );
  vault.isSealed = false;
  expect(await reveal('first')).toBe('one');
  expect(values()).toEqual([base64('one')]);
});

test('contents of secrets that cannot be moved stay readable where they are', async () => {
  await add();
  for (const name of ['first', 'second', 'third']) await ok(`add-secret ${name} token=${name}`);
  vault.sealsAfter = 1;
  await ok('model-secret-backend myvault');
  await eventually(() => expect(vault.isSealed).toBe(true));
  const internal = async (): Promise<number> =>
    (JSON.parse(await ok('secret-backends --format json')) as { internal: { secrets: number } }).internal
      .secrets;
  await eventually(async () => expect(await internal()).toBe(2));
  vault.sealsAfter = undefined;
  vault.isSealed = false;
  // A change of the backend wakes the worker, which otherwise waits for a minute.
  await ok('update-secret-backend myvault mount-path=');
  await eventually(async () => expect(await internal()).toBe(0));
  for (const name of ['first', 'second', 'third']) expect(await reveal(name)).toBe(name);
});

test('the engine of a model is removed with the model', async () => {
  await add();
  await ok('model-secret-backend myvault');
  await ok('add-secret first token=one');
  expect(Object.keys(vault.contents())).toHaveLength(1);
  await ok('destroy-model shop --no-prompt');
  await eventually(() => expect(vault.contents()).toEqual({}));
});
