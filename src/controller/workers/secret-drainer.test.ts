import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { FakeVault } from '../../testing/fake-vault.ts';
import { secretWorld, type SecretWorld } from '../../testing/secret-world.ts';
import { SecretDrainer } from './secret-drainer.ts';

const content = { password: 'c2VjcmV0' };
let callers: Callers;
let vault: FakeVault;
let world: SecretWorld;
let drainer: SecretDrainer;
beforeEach(async () => {
  vault = await FakeVault.start();
  callers = await createCallers();
  world = await secretWorld(callers);
  const { store, context } = callers;
  const modelUuid = callers.view().space;
  drainer = new SecretDrainer({ store, services: context.services, modelUuid, wake: () => undefined });
  const args = [
    { name: 'myvault', 'backend-type': 'vault', config: { endpoint: vault.endpoint, token: 'root' } },
  ];
  expect(await callers.call('SecretBackends', 'AddSecretBackends', { args })).toEqual({ results: [{}] });
});
afterEach(async () => {
  drainer.stop();
  await callers[Symbol.asyncDispose]();
  await vault[Symbol.asyncDispose]();
});
const choose = (backend: string): Promise<unknown> =>
  callers.call('ModelConfig', 'ModelSet', { config: { 'secret-backend': backend } });
const pass = (): Promise<number | undefined> => drainer.pass(new AbortController().signal);
const keyOf = (id: string): string => callers.view().get('secret-revision', `${id}/1`)!.content;

test('contents move although one of them is missing', async () => {
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push(await world.add('web/0', { content }));
  const lost = [...callers.view().list('secret-revision')][0]!;
  await world.contents.backend('').erase([lost.content]);
  await choose('myvault');
  expect(await pass()).toBe(60_000);
  for (const id of ids.filter((one) => one !== lost.secret)) {
    expect(keyOf(id)).toContain(':');
    expect(await world.read('web/0', { id })).toMatchObject({ content });
  }
  expect(keyOf(lost.secret)).toBe(lost.content);
});

test('a content does not move to a backend that is removed while it is copied', async () => {
  const id = await world.add('web/0', { content });
  await choose('myvault');
  let removed: Promise<unknown> | undefined;
  vault.onWrite = async () => {
    removed ??= choose('auto').then(() =>
      callers.call('SecretBackends', 'RemoveSecretBackends', { args: [{ name: 'myvault' }] }),
    );
    await removed;
  };
  expect(await pass()).toBe(60_000);
  expect(await removed).toEqual({ results: [{}] });
  expect(await world.read('web/0', { id })).toMatchObject({ content });
});

test('a hook does not leave a secret in a backend that is removed while its content is stored', async () => {
  await choose('myvault');
  vault.onWrite = async () => {
    vault.onWrite = undefined;
    await choose('auto');
    await callers.call('SecretBackends', 'RemoveSecretBackends', { args: [{ name: 'myvault' }] });
  };
  await expect(world.add('web/0', { content })).rejects.toThrow('has been removed');
  const id = await world.add('web/0', { content });
  expect(await world.read('web/0', { id })).toMatchObject({ content });
});
