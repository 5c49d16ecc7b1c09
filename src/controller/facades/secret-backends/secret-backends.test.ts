/** Tests of secret backends: limits, and what a hook gets to hear when its backend is down. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { systemClock } from '../../../kit/clock.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { FakeVault } from '../../../testing/fake-vault.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { secretWorld } from '../../../testing/secret-world.ts';
import { requestsAtOnce, wholeMs } from '../../secret-backends/backend.ts';
import type { VaultAnswer } from '../../secret-backends/vault-http.ts';
import { ExternalBackends } from '../../secret-backends/backends.ts';
import { putBackend } from '../../transactions/shared/secret-backends.ts';

let callers: Callers;
let vault: FakeVault;
beforeEach(async () => {
  vault = await FakeVault.start();
  callers = await createCallers();
});
afterEach(async () => {
  await callers[Symbol.asyncDispose]();
  await vault[Symbol.asyncDispose]();
});

const content = { password: 'c2VjcmV0' };
const add = async (name: string, config: Record<string, unknown> = {}): Promise<string | undefined> => {
  const args = [
    { name, 'backend-type': 'vault', config: { endpoint: vault.endpoint, token: 'root', ...config } },
  ];
  const { results } = await callers.call<{ results: { error?: { message: string } }[] }>(
    'SecretBackends',
    'AddSecretBackends',
    { args },
  );
  return results[0]!.error?.message;
};

test('the token of a backend is sealed in the store, and no answer has it', async () => {
  await add('myvault', { token: 'root' });
  const [doc] = [...callers.store.read().list('secret-backend')];
  expect(doc!.config['token']).toMatch(/^sealed:1:/);
  const listed = await callers.call('SecretBackends', 'ListSecretBackends', {
    names: ['myvault'],
    reveal: true,
  });
  expect(listed).toMatchObject({
    results: [{ status: 'active', result: { config: { endpoint: vault.endpoint } } }],
  });
  expect(JSON.stringify(listed)).not.toContain('root');
});

test('a backend of an endless name is not found in limits.errorText', async () => {
  const names = ['x'.repeat(limits.errorText.max)];
  const { results } = await callers.call<{ results: { error: { message: string; code: string } }[] }>(
    'SecretBackends',
    'ListSecretBackends',
    { names },
  );
  expect(results.map(({ error }) => error.code)).toEqual(['not found']);
  expect(results[0]!.error.message.length).toBeLessThanOrEqual(limits.errorText.max);
});

test('a controller has limits.secretBackends, each with limits.secretBackendConfig', async () => {
  expect(await add('large', { 'ca-cert': 'x'.repeat(limits.secretBackendConfig.max) })).toContain(
    'configuration of a secret backend',
  );
  await add('grows');
  const update = async (config: Record<string, unknown>): Promise<string> => {
    const args = [{ name: 'grows', force: true, config }];
    return JSON.stringify(await callers.call('SecretBackends', 'UpdateSecretBackends', { args }));
  };
  const most = 'x'.repeat(limits.secretBackendConfig.max - 1_000);
  expect(await update({ 'ca-cert': most })).toBe('{"results":[{}]}');
  expect(await update({ 'tls-server-name': most })).toContain('configuration of a secret backend');
  await callers.store.change((root) => {
    for (let n = 1; n < limits.secretBackends.max; n++)
      putBackend(root.in(''), { id: `b${n}`, name: `b${n}`, type: 'vault', config: {} });
  }, 'test');
  expect(await add('one-more')).toContain('secret backends');
});

test('a server is asked once in some seconds whether it is there, however many ask', async () => {
  await add('myvault');
  const list = (): Promise<unknown> => callers.call('SecretBackends', 'ListSecretBackends', {});
  const before = vault.asked;
  await Promise.all([list(), list()]);
  await list();
  expect(vault.asked - before, 'health and engines').toBe(2);
  vault.isSealed = true;
  callers.advance(6_000);
  expect(await list()).toMatchObject({
    results: [{ status: 'active' }, { status: 'error', message: 'secret backend "myvault" is sealed' }],
  });
});

test('a server that is silent does not keep a user who lists backends waiting', async () => {
  await add('myvault');
  await using silent = await silentServer();
  const [doc] = [...callers.store.read().list('secret-backend')];
  const { sealer } = callers.context.services;
  const times = { rememberedMs: 5_000, waitMs: 20, silentMs: 60_000 };
  const backends = new ExternalBackends({ store: callers.store, sealer, clock: systemClock, times });
  const hanging = { ...doc!, config: { endpoint: silent.endpoint } };
  const problem = 'secret backend "myvault" has not answered for 0.02 s';
  expect([await backends.problemOf(hanging), await backends.problemOf(hanging)]).toEqual([problem, problem]);
  expect(silent.asked(), 'the first question is still open').toBeLessThan(2);
});

test('a server that was silent is not waited for again for a while, until it answers', async () => {
  await add('myvault');
  const [doc] = [...callers.store.read().list('secret-backend')];
  const { sealer } = callers.context.services;
  const clock = new ManualClock();
  let answer = Promise.withResolvers<VaultAnswer>();
  const transport = (): Promise<VaultAnswer> => answer.promise;
  const backends = new ExternalBackends({ store: callers.store, sealer, clock, transport });
  const first = [backends.problemOf(doc!), backends.problemOf(doc!)];
  clock.advance(3_000);
  const silent = 'secret backend "myvault" has not answered for 3 s';
  expect(await Promise.all(first)).toEqual([silent, silent]);
  clock.advance(7_000);
  answer.reject(new Error('cannot be reached: no answer for 10 s'));
  await turns();
  const away = 'secret backend "myvault" cannot be reached: no answer for 10 s';
  expect(await backends.problemOf(doc!)).toBe(away);
  answer = Promise.withResolvers();
  clock.advance(6_000);
  expect(await backends.problemOf(doc!), 'what was found before, while it is asked again').toBe(away);
  answer.resolve({ status: 200, body: {} });
  await turns();
  expect(await backends.problemOf(doc!)).toBeUndefined();
});

test('contents are read beside each other, and no longer than a time limit', async () => {
  const world = await secretWorld(callers);
  await add('myvault');
  await callers.call('ModelConfig', 'ModelSet', { config: { 'secret-backend': 'myvault' } });
  const secrets = [...Array(60).keys()].map((n) => ({
    id: `${String(n).padStart(19, 'a')}0`,
    owner: 'application' as const,
    content,
  }));
  await world.hook('web/0', { create: secrets });
  let now = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  vault.onRead = async () => {
    most = Math.max(most, ++now);
    // The first requests wait for each other, so that one more would be seen beside them.
    if (now === requestsAtOnce) setTimeout(full.resolve, 20);
    await full.promise;
    now -= 1;
  };
  const before = vault.asked;
  const list = (): Promise<{ results: { value: { data?: unknown } }[] }> =>
    callers.call('Secrets', 'ListSecrets', { 'show-secrets': true, filter: {} });
  expect((await list()).results.map(({ value }) => value.data)).toEqual(secrets.map(() => content));
  expect(most).toBe(requestsAtOnce);
  expect(vault.asked - before, 'each content once').toBe(60);
  vault.onRead = () => new Promise(() => undefined);
  Object.assign(callers.context.services.clock, {
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms === wholeMs ? 50 : ms, signal),
  });
  const { results } = await list();
  expect(results).toHaveLength(60);
  for (const { value } of results)
    expect(value).toEqual({
      error: { message: 'secret backend "myvault" cannot be reached: no answer within 300 s', code: '' },
    });
});

test('ModelInfo tells which backends have contents of the model', async () => {
  const world = await secretWorld(callers);
  await add('myvault');
  const uuid = callers.view().space;
  const info = async (as = 'admin'): Promise<unknown> => {
    const { results } = await callers.call<{ results: { result: { 'secret-backends': unknown } }[] }>(
      'ModelManager',
      'ModelInfo',
      { entities: [{ tag: `model-${uuid}` }] },
      { as },
    );
    return results[0]!.result['secret-backends'];
  };
  expect(await info()).toEqual([]);
  await world.add('web/0', { content });
  await callers.call('ModelConfig', 'ModelSet', { config: { 'secret-backend': 'myvault' } });
  await world.add('web/0', { content });
  await world.add('web/0', { content });
  expect(await info()).toMatchObject([
    { result: { name: 'internal', 'backend-type': 'controller' }, 'num-secrets': 1, status: 'active' },
    { result: { name: 'myvault', config: { endpoint: vault.endpoint } }, 'num-secrets': 2 },
  ]);
  expect(JSON.stringify(await info())).not.toMatch(/root|sealed:/);
  // Endpoints and the number of secrets are not for readers.
  await callers.addUser('bob');
  await callers.grant('bob', 'read');
  expect(await info('bob')).toEqual([]);
});

test('a hook whose backend is down in the middle of its commit leaves nothing, and leaves all when it runs again', async () => {
  const world = await secretWorld(callers);
  await add('myvault');
  await callers.call('ModelConfig', 'ModelSet', { config: { 'secret-backend': 'myvault' } });
  const unit = 'web/0';
  const secrets = ['a', 'b'].map((letter) => ({
    id: `${letter.repeat(19)}0`,
    owner: 'application' as const,
    content,
  }));
  vault.sealsAfter = 1;
  const error = await world.hook(unit, { create: secrets }).catch((e: unknown) => e as Error);
  expect(String(error)).toContain('secret backend "myvault" is sealed');
  expect(String(error)).not.toMatch(/not found|permission denied|c2VjcmV0/);
  expect(await world.own(unit)).toEqual([]);
  vault.sealsAfter = undefined;
  vault.isSealed = false;
  const { secretContents } = callers.context.services;
  expect(await secretContents.erase(secretContents.takeLeft(), () => false)).toEqual([]);
  expect(Object.values(vault.contents())).toEqual([{}]);
  await world.hook(unit, { create: secrets });
  for (const { id } of secrets) expect(await world.read('web/1', { id })).toMatchObject({ content });
  vault.isSealed = true;
  await expect(world.read(unit, { id: secrets[0]!.id, peek: true })).rejects.toThrow(
    'secret backend "myvault" is sealed',
  );
});

/** Lets everything run that waits for nothing else. */
async function turns(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
}

async function silentServer(): Promise<
  { readonly endpoint: string; readonly asked: () => number } & AsyncDisposable
> {
  let asked = 0;
  const server = createServer(() => void (asked += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
