/** Secrets in a real server of OpenBao: the contract of backends, and the commands with a controller. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VaultApi } from '../../src/controller/secret-backends/vault-api.ts';
import { VaultBackend } from '../../src/controller/secret-backends/vault.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { testSecretBackend } from '../../src/testing/secret-backend.ts';
import { Commands } from './commands.ts';
import { OpenBao } from './openbao.ts';

let bao: OpenBao;
beforeAll(async () => void (bao = await OpenBao.start()));
afterAll(() => bao[Symbol.asyncDispose]());

const content = { password: 'c2VjcmV0' };
let controller: string;
let models: [string, string];
beforeEach(() => {
  controller = randomUUID();
  models = [randomUUID(), randomUUID()];
});
const open = (token = bao.token): VaultBackend =>
  new VaultBackend({
    id: 'v',
    api: new VaultApi('myvault', { endpoint: bao.endpoint, token }),
    clock: systemClock,
    controller,
    mountPath: 'grigri',
    modelName: (uuid) => `m${models.indexOf(uuid)}`,
  });
const key = (): string => `v:${models[0]}/9m4e2mr0ui3e8a215n4g/ab.cd`;

describe('engines that the controller makes', () =>
  testSecretBackend(() => ({ backend: open(), reopen: open, prefix: 'v:', models })));

describe('engines of version 2 that an operator has made', () => {
  test('contents are kept, listed and erased', async () => {
    await bao.send('POST', `sys/mounts/team/${models[0]}`, {
      type: 'kv',
      description: `grigri ${controller} ${models[0]}`,
      options: { version: '2' },
    });
    await open().put([{ key: key(), content }]);
    expect(await open().get(key())).toEqual(content);
    expect(await open().keys(models[0])).toEqual([key()]);
    await open().erase([key()]);
    expect(await open().get(key())).toBeUndefined();
    expect(await open().keys(models[0])).toEqual([]);
  });
});

test('a token with the rights that the reference names is enough, and is replaced by a token with the same rights', async () => {
  await bao.send('POST', 'sys/policies/acl/grigri', {
    policy: `path "sys/mounts" { capabilities = ["read"] }
path "sys/mounts/grigri/*" { capabilities = ["create", "update", "delete", "sudo"] }
path "grigri/*" { capabilities = ["create", "read", "update", "delete", "list"] }
path "auth/token/create-orphan" { capabilities = ["create", "update", "sudo"] }`,
  });
  const made = (await bao.send('POST', 'auth/token/create-orphan', { policies: ['grigri'] })) as {
    auth: { client_token: string };
  };
  const first = open(made.auth.client_token);
  await first.put([{ key: key(), content }]);
  const second = open((await first.newToken(7_200_000)).token);
  await first.revokeOwnToken();
  await expect(open(made.auth.client_token).check()).rejects.toThrow('does not accept the token');
  expect(await second.get(key())).toEqual(content);
  await second.forget(models[0]);
  expect(await open().models()).toEqual([]);
});

test('commands keep the contents of a model in the engine, through a seal, and take them back', async () => {
  await using commands = await Commands.start();
  const { cli, ok } = commands;
  await ok('add-model shop');
  await ok('add-secret first token=one');
  await ok(`add-secret-backend myvault vault endpoint=${bao.endpoint} token=${bao.token}`);
  await ok('model-secret-backend myvault');
  await ok('add-secret second token=two');
  await expect.poll(() => ok('secret-backends')).toMatch(/internal +controller +0 .*\nmyvault +vault +2 /);
  for (const [name, value] of [
    ['first', 'one'],
    ['second', 'two'],
  ])
    // oxfmt-ignore
    expect(await ok(`show-secret ${name} --reveal`)).toContain(`token: ${value}`);
  await bao.seal();
  expect((await cli.run('add-secret third token=three')).stderr).toContain(
    'secret backend "myvault" is sealed',
  );
  // The result of the last check is remembered for some seconds.
  await expect.poll(() => ok('secret-backends')).toContain('secret backend "myvault" is sealed');
  await bao.unseal();
  await expect.poll(async () => (await cli.run('add-secret third token=three')).code).toBe(0);
  await ok('model-secret-backend internal');
  await expect.poll(() => ok('secret-backends')).toMatch(/internal +controller +3 .*\nmyvault +vault +0 /);
  expect(await ok('show-secret second --reveal')).toContain('token: two');
  await ok('destroy-model shop --no-prompt');
  await ok('remove-secret-backend myvault');
});
