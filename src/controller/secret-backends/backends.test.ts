/** The contract of secret backends, for the controller's own and for Vault's API on a server of the test's. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { systemClock, type Clock } from '../../kit/clock.ts';
import { FakeVault } from '../../testing/fake-vault.ts';
import { MemoryContents } from '../../store/memory-contents.ts';
import { testSecretBackend } from '../../testing/secret-backend.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { createSealer } from '../sealer.ts';
import { requestsAtOnce, wholeMs } from './backend.ts';
import { InternalBackend } from './internal.ts';
import { VaultApi } from './vault-api.ts';
import { vaultHttp } from './vault-http.ts';
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

  test('the keys of one model are not sought among those of all', async () => {
    const read: (readonly string[])[] = [];
    class Counted extends MemoryContents {
      override keys(beginning?: string): readonly string[] {
        const keys = super.keys(beginning);
        read.push(keys);
        return keys;
      }
    }
    const counted = new Counted();
    const backend = new InternalBackend(counted, sealer);
    await backend.put([...Array(10).keys()].map((n) => ({ key: `m${n}/a/1`, content })));
    expect(await backend.keys('m1')).toEqual(['m1/a/1']);
    expect(read).toEqual([['m1/a/1']]);
  });

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
  let clock: Clock;
  beforeEach(async () => {
    vault = await FakeVault.start();
    clock = systemClock;
  });
  afterEach(() => vault[Symbol.asyncDispose]());
  const open = (config: Record<string, string> = {}): VaultBackend =>
    new VaultBackend({
      id: 'v',
      api: new VaultApi('myvault', { endpoint: vault.endpoint, token: 'root', ...config }),
      clock,
      controller,
      mountPath: config['mount-path'] ?? '',
      modelName: (uuid) =>
        models.includes(uuid as (typeof models)[0])
          ? `m${models.indexOf(uuid as (typeof models)[0])}`
          : undefined,
    });
  const key = `v:${models[0]}/9m4e2mr0ui3e8a215n4g/ab.cd`;

  describe('engines of version 1', () =>
    testSecretBackend(() => ({ backend: open(), reopen: open, prefix: 'v:', models })));

  describe('engines of version 2, which an operator has made', () => {
    beforeEach(() =>
      models.forEach((model, n) =>
        vault.mount(`made/m${n}`, { version: '2', description: `grigri ${controller} ${model}` }),
      ),
    );
    test('contents are stored in the engines that there are', async () => {
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

  test('hooks that bring the first secrets of a model at once share one engine', async () => {
    const other = `v:${models[0]}/9m4e2mr0ui3e8a215n5g/ab.cd`;
    const backend = open();
    await Promise.all([backend.put([{ key, content }]), backend.put([{ key: other, content }])]);
    expect(Object.values(vault.contents()).map((engine) => Object.keys(engine).length)).toEqual([2]);
  });

  test('a content is read and erased in an engine that was moved, or made version 2, since the backend saw it', async () => {
    const backend = open();
    await backend.put([{ key, content }]);
    vault.move('m0-c3b0d1', 'elsewhere');
    expect(await backend.get(key), 'moved').toEqual(content);
    vault.move('elsewhere', 'elsewhere', '2');
    expect(await backend.get(key), 'version 2').toEqual(content);
    vault.move('elsewhere', 'again');
    await backend.erase([key]);
    expect(vault.contents()).toEqual({ again: {} });
  });

  test('an engine whose description names no model is not removed', async () => {
    vault.mount('kept', { version: '1', description: `grigri ${controller} ${models[1]} (copy of May)` });
    expect(await open().models()).toEqual([]);
  });

  test('a certificate that cannot be read is reported with the backend’s name', async () => {
    const endpoint = vault.endpoint.replace('http:', 'https:');
    await expect(open({ endpoint, 'ca-cert': 'x', 'client-cert': 'x' }).check()).rejects.toThrow(
      'secret backend "myvault" ',
    );
  });

  test('words of the server by which charms recognise other errors are not in errors', async () => {
    await using server = await serving((response) => {
      response.statusCode = 500;
      response.end(JSON.stringify({ errors: ['storage: Permission denied, Not Found'] }));
    });
    const error = await open({ endpoint: server.endpoint }).models().then(String, String);
    expect(error).toMatch(/answered with status 500: storage: /);
    expect(error).not.toMatch(/permission denied|not found/i);
  });

  test('an answer that never ends is given up', async () => {
    await using server = await serving((response) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    const api = new VaultApi(
      'myvault',
      { endpoint: server.endpoint },
      vaultHttp({ silenceMs: 5_000, answerMs: 100 }),
    );
    await expect(api.send('GET', 'sys/mounts')).rejects.toThrow(
      'secret backend "myvault" cannot be reached: no whole answer for 0.1 s',
    );
  });

  const many = (count: number): { key: string; content: typeof content }[] =>
    [...Array(count).keys()].map((n) => ({ key: `v:${models[0]}/9m4e2mr0ui3e8a215n4g/${n}.cd`, content }));

  test('contents are stored and erased beside each other, so many at a time, in one engine', async () => {
    let now = 0;
    let most = 0;
    vault.onWrite = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 100));
      now -= 1;
    };
    const contents = many(100);
    await open().put(contents);
    expect(most).toBe(requestsAtOnce);
    const [engine] = Object.values(vault.contents());
    expect(Object.keys(engine!)).toHaveLength(100);
    expect(vault.asked, 'one look at the engines before and after one is made').toBe(103);
    await open().erase(contents.map((one) => one.key));
    expect(vault.asked).toBe(204);
    expect(Object.values(vault.contents())).toEqual([{}]);
  });

  test('a server that is slow without hanging has a limited time for all contents of a hook', async () => {
    const manual = new ManualClock();
    clock = manual;
    vault.onWrite = async () => {
      const written = Object.keys(Object.values(vault.contents())[0] ?? {}).length;
      if (written === 5) manual.advance(wholeMs);
      if (written >= 5) await new Promise(() => undefined);
    };
    await expect(open().put(many(50))).rejects.toThrow(
      'secret backend "myvault" has stored 5 of 50 contents in 300 s',
    );
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

/** A server that answers in its own way. */
async function serving(
  answer: (response: ServerResponse) => void,
): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
