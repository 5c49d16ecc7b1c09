import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { FakeVault } from '../../testing/fake-vault.ts';
import { TokenRotator } from './token-rotator.ts';

const hour = 3_600_000;
let callers: Callers;
let vault: FakeVault;
let rotator: TokenRotator;
beforeEach(async () => {
  vault = await FakeVault.start();
  callers = await createCallers();
  const { store, context } = callers;
  rotator = new TokenRotator({ store, services: context.services, wake: () => undefined });
  await add({});
});
afterEach(async () => {
  rotator.stop();
  await callers[Symbol.asyncDispose]();
  await vault[Symbol.asyncDispose]();
});

async function add(config: Record<string, string>): Promise<void> {
  const args = [
    {
      name: 'myvault',
      'backend-type': 'vault',
      'token-rotate-interval': hour * 1e6,
      config: { endpoint: vault.endpoint, token: 'root', ...config },
    },
  ];
  expect(await callers.call('SecretBackends', 'AddSecretBackends', { args })).toEqual({ results: [{}] });
}
const doc = () => [...callers.store.read().list('secret-backend')][0]!;

test('a token is replaced when it is due, is sealed in the store, and is revoked when it was the controller’s own', async () => {
  expect(await rotator.pass()).toBe(hour);
  callers.advance(hour);
  expect(await rotator.pass()).toBe(hour);
  expect(vault.tokens(), 'the user’s own token stays').toEqual(['root', 'made-1']);
  expect(JSON.stringify(doc())).not.toContain('made-1');
  await callers.context.services.secretBackends.get(doc().id).check();
  callers.advance(hour);
  await rotator.pass();
  expect(vault.tokens()).toEqual(['root', 'made-2']);
  const change = { name: 'myvault', config: { token: 'root' } };
  await callers.call('SecretBackends', 'UpdateSecretBackends', { args: [change] });
  callers.advance(hour);
  await rotator.pass();
  expect(vault.tokens(), 'a token that a user gave is not revoked').toEqual(['root', 'made-3']);
});

test('a token that the controller made ends with its backend, or when a user gives another token', async () => {
  callers.advance(hour);
  await rotator.pass();
  const name = 'myvault';
  const reset = { name, reset: ['token'] };
  expect(
    await callers.call('SecretBackends', 'UpdateSecretBackends', { args: [{ ...reset, force: true }] }),
  ).toMatchObject({ results: [{ error: { message: 'token rotation without a token not valid' } }] });
  const change = { name, config: { token: 'root' } };
  expect(await callers.call('SecretBackends', 'UpdateSecretBackends', { args: [change] })).toEqual({
    results: [{}],
  });
  expect(vault.tokens()).toEqual(['root']);
  callers.advance(hour);
  await rotator.pass();
  expect(vault.tokens()).toEqual(['root', 'made-2']);
  expect(await callers.call('SecretBackends', 'RemoveSecretBackends', { args: [{ name }] })).toEqual({
    results: [{}],
  });
  expect(vault.tokens()).toEqual(['root']);
});

test('a server that is down gets its new token when it is back', async () => {
  vault.isSealed = true;
  callers.advance(hour);
  expect(await rotator.pass()).toBe(300_000);
  expect(doc().ownToken).toBeUndefined();
  vault.isSealed = false;
  expect(await rotator.pass()).toBe(hour);
  expect(vault.tokens()).toEqual(['root', 'made-1']);
});

test('a backend whose rotation was reset keeps its token', async () => {
  const args = [{ name: 'myvault', config: {}, 'token-rotate-interval': 0 }];
  await callers.call('SecretBackends', 'UpdateSecretBackends', { args });
  callers.advance(10 * hour);
  expect(await rotator.pass()).toBeUndefined();
  expect(vault.tokens()).toEqual(['root']);
});

test('a token to which the server gives a shorter life is replaced before it ends', async () => {
  const minute = 60_000;
  vault.tokenSecondsMax = 1_800;
  callers.advance(hour);
  expect(await rotator.pass()).toBe(15 * minute);
  callers.advance(15 * minute);
  expect(await rotator.pass()).toBe(15 * minute);
  expect(vault.tokens()).toEqual(['root', 'made-2']);
  vault.tokenSecondsMax = Infinity;
  callers.advance(15 * minute);
  expect(await rotator.pass()).toBe(hour);
});
