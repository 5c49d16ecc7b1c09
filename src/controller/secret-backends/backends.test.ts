/** The contract of secret backends, for the controller's own and for Vault's API on a server of the test's. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { FakeVault } from '../../testing/fake-vault.ts';
import { MemoryContents } from '../../testing/memory-contents.ts';
import { testSecretBackend } from '../../testing/secret-backend.ts';
import { createSealer } from '../sealer.ts';
import { InternalBackend } from './internal.ts';
import { VaultApi } from './vault-api.ts';
import { VaultBackend } from './vault.ts';

const models = ['5a8e6a3c-4c39-4b7e-8a4e-7a3c62c3b0d1', '6b8e6a3c-4c39-4b7e-8a4e-7a3c62c3b0d2'] as const;
const controller = '11111111-2222-4333-8444-555555555555';
const content = { password: 'c2VjcmV0' };

describe('the controller’s own backend', () => {
  const sealer = createSealer(createSecretKey(randomBytes(32)));
  let store: MemoryContents;
  beforeEach(() => void (store = new MemoryContents()));
  testSecretBackend(() => ({
    backend: new InternalBackend(store, sealer),
    reopen: () => new InternalBackend(store, sealer),
    prefix: '',
    models,
  }));

  test('a content is sealed, and is refused under another key of its own or of the controller', async () => {
    await new InternalBackend(store, sealer).put([{ key: 'm/a/1', content }]);
    const sealed = store.get('m/a/1')!;
    expect(sealed).not.toContain('c2VjcmV0');
    store.put([{ key: 'm/b/1', sealed }]);
    await expect(new InternalBackend(store, sealer).get('m/b/1')).rejects.toThrow(
      'is not where it was written',
    );
    const other = createSealer(createSecretKey(randomBytes(32)));
    await expect(new InternalBackend(store, other).get('m/a/1')).rejects.toThrow();
  });
});

describe('Vault', () => {
  let vault: FakeVault;
  beforeEach(async () => void (vault = await FakeVault.start()));
  afterEach(() => vault[Symbol.asyncDispose]());
  const open = (config: Record<string, string> = {}): VaultBackend =>
    new VaultBackend({
      id: 'v',
      api: new VaultApi('myvault', { endpoint: vault.endpoint, token: 'root', ...config }),
      controller,
      mountPath: config['mount-path'] ?? '',
      modelName: (uuid) =>
        models.includes(uuid as (typeof models)[0])
          ? `m${models.indexOf(uuid as (typeof models)[0])}`
          : undefined,
    });
  const key = `v:${models[0]}/9m4e2mr0ui3e8a215n4g/ab.cd`;

  describe('of version 1', () =>
    testSecretBackend(() => ({ backend: open(), reopen: open, prefix: 'v:', models })));

  describe('of version 2, whose engines an operator has made', () => {
    beforeEach(() =>
      models.forEach((model, n) =>
        vault.mount(`made/m${n}`, { version: '2', description: `grigri ${controller} ${model}` }),
      ),
    );
    test('contents are in the engines that there are', async () => {
      await open().put([{ key, content }]);
      expect(vault.contents()).toMatchObject({ 'made/m0': { '9m4e2mr0ui3e8a215n4g-ab.cd': content } });
      expect(await open().get(key)).toEqual(content);
      expect(await open().keys(models[0])).toEqual([key]);
      await open().erase([key]);
      expect(vault.contents()).toEqual({ 'made/m0': {}, 'made/m1': {} });
    });
  });

  test('a model’s engine is named by it, below the mount path, and tells whose it is', async () => {
    await open({ 'mount-path': 'juju/secrets' }).put([{ key, content }]);
    expect(vault.contents()).toEqual({ 'juju/secrets/m0-c3b0d1': { '9m4e2mr0ui3e8a215n4g-ab.cd': content } });
    vault.mount('m1-c3b0d2', { version: '1', description: 'somebody else’s' });
    expect(await open().models()).toEqual([models[0]]);
  });

  test('a server that is sealed, away, something else, or does not know the token is named with what is wrong', async () => {
    await expect(open({ token: 'old' }).check()).rejects.toThrow(
      'secret backend "myvault" does not accept the token for this',
    );
    vault.isSealed = true;
    await expect(open().check()).rejects.toThrow('secret backend "myvault" is sealed');
    await expect(open().get(key)).rejects.toThrow('secret backend "myvault" is sealed, or a standby');
    await vault[Symbol.asyncDispose]();
    const error = await open({ token: 'hush' })
      .put([{ key, content }])
      .catch((e: unknown) => e as Error);
    expect(String(error)).toMatch(/secret backend "myvault" cannot be reached: .*ECONNREFUSED/);
    expect(String(error)).not.toMatch(/hush|c2VjcmV0|not found/);
    vault = await FakeVault.start();
  });

  test('an answer over limits.secretBackendAnswer, and one that is no JSON, are refused', async () => {
    vault.says = ' '.repeat(limits.secretBackendAnswer.max + 1);
    await expect(open().get(key)).rejects.toThrow(
      `cannot be reached: more than ${limits.secretBackendAnswer.max} bytes`,
    );
    vault.says = '<html>';
    await expect(open().get(key)).rejects.toThrow('answered with something else than JSON');
    vault.says = '[]';
    expect(await open().get(key)).toBeUndefined();
  });

  test('an engine that was removed meanwhile is made again for a new content', async () => {
    const backend = open();
    await backend.put([{ key, content }]);
    await open().forget(models[0]);
    expect(await backend.get(key)).toBeUndefined();
    await backend.put([{ key, content }]);
    expect(await backend.get(key)).toEqual(content);
  });
});
