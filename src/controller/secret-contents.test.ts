import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { MemoryContents } from '../store/memory-contents.ts';
import type { NewContent, SecretBackend } from './secret-backends/backend.ts';
import { InternalBackend } from './secret-backends/internal.ts';
import { createSealer } from './sealer.ts';
import { SecretContents } from './secret-contents.ts';

const content = { password: 'c2VjcmV0' };
const sealer = createSealer(createSecretKey(randomBytes(32)));
const contentsIn = (
  store: MemoryContents,
  external: (id: string) => SecretBackend = () => {
    throw new Error('removed');
  },
): SecretContents => new SecretContents({ internal: new InternalBackend(store, sealer), external, sealer });

test('a content that nothing refers to after its change is erased, but not while another writer of it is at work', async () => {
  const store = new MemoryContents();
  const contents = contentsIn(store);
  const write = (fn: () => Promise<void>, isUsed: boolean): Promise<void> =>
    contents.using([{ key: 'm/a/1', content }], fn, () => isUsed);
  await expect(write(() => Promise.reject(new Error('refused')), false)).rejects.toThrow('refused');
  expect(store.keys()).toEqual([]);
  await write(async () => {
    await write(() => Promise.resolve(), false);
    await contents.erase(['m/a/1'], () => false);
    expect(store.keys()).toEqual(['m/a/1']);
  }, true);
  expect(store.keys()).toEqual(['m/a/1']);
});

test('a key tells whose content it is and whether another content is the same, and moves to another backend', () => {
  const contents = contentsIn(new MemoryContents());
  const place = { backend: '', model: 'm', secret: 's', writer: 'hook 1/x' };
  const key = contents.keyOf(place, { b: 'MQ==', a: 'Mg==' });
  expect(key).toMatch(/^m\/s\/[0-9a-f]{32}\.[0-9a-f]{32}$/);
  expect(contents.keyOf(place, { a: 'Mg==', b: 'MQ==' }), 'a repetition').toBe(key);
  expect(contents.keyOf({ ...place, writer: 'hook 2' }, { b: 'MQ==', a: 'Mg==' })).not.toBe(key);
  expect(contents.isSame(key, { a: 'Mg==', b: 'MQ==' })).toBe(true);
  expect(contents.isSame(key, { a: 'Mg==' })).toBe(false);
  expect(contents.isSame('m/s/written-before-marks', { a: 'Mg==' })).toBe(false);
  const moved = contents.movedKey(key, 'vault-1');
  expect(moved).toBe(`vault-1:${key}`);
  expect(contents.isSame(moved, { a: 'Mg==', b: 'MQ==' })).toBe(true);
  expect(contents.movedKey(moved, '')).toBe(key);
});

test('a writer whose backend fails does nothing, and what it leaves there is erased when the backend is back', async () => {
  let isDown = false;
  let puts = 0;
  class Flaky extends InternalBackend {
    override async put(all: readonly NewContent[]): Promise<void> {
      for (const one of all) {
        if (isDown) throw new Error('down');
        await super.put([one]);
        isDown = ++puts === 1;
      }
    }
    override erase(keys: readonly string[]): Promise<void> {
      return isDown ? Promise.reject(new Error('down')) : super.erase(keys);
    }
  }
  const flaky = new Flaky(new MemoryContents(), sealer);
  const contents = contentsIn(new MemoryContents(), () => flaky);
  let left = 0;
  contents.watchLeft(() => (left += 1));
  const both = ['v:m/a/1', 'v:m/b/1'].map((key) => ({ key, content }));
  const ran: string[] = [];
  const run = (): Promise<void> => {
    ran.push('change');
    return Promise.resolve();
  };
  await expect(contents.using(both, run, () => false)).rejects.toThrow('down');
  expect([ran, left, await flaky.keys('v:m')]).toEqual([[], 1, ['v:m/a/1']]);
  isDown = false;
  expect(await contents.erase(contents.takeLeft(), () => false)).toEqual([]);
  expect(await flaky.keys('v:m')).toEqual([]);
  await contents.using(both, run, () => true);
  expect([ran, await flaky.keys('v:m')]).toEqual([['change'], ['v:m/a/1', 'v:m/b/1']]);
});

test('a writer of a key waits until an erasure of it has ended', async () => {
  let erased = (): void => undefined;
  class Slow extends InternalBackend {
    override async erase(keys: readonly string[]): Promise<void> {
      await new Promise<void>((resolve) => (erased = resolve));
      await super.erase(keys);
    }
  }
  const slow = new Slow(new MemoryContents(), sealer);
  const contents = contentsIn(new MemoryContents(), () => slow);
  const one = [{ key: 'v:m/a/1', content }];
  await contents.using(
    one,
    () => Promise.resolve(),
    () => true,
  );
  const erasing = contents.erase(['v:m/a/1'], () => false);
  const writing = contents.using(
    one,
    () => Promise.resolve(),
    () => true,
  );
  erased();
  await Promise.all([erasing, writing]);
  expect(await slow.keys('v:m')).toEqual(['v:m/a/1']);
});
