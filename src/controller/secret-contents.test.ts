import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { MemoryContents } from '../testing/memory-contents.ts';
import { createSealer } from './sealer.ts';
import { SecretContents } from './secret-contents.ts';

const content = { password: 'c2VjcmV0' };
const sealer = () => createSealer(createSecretKey(randomBytes(32)));

test('a content is sealed, and is refused under another key of its own or of the controller', async () => {
  const store = new MemoryContents();
  const contents = new SecretContents(store, sealer());
  await contents.using(
    [{ key: 'm/a/1', content }],
    () => Promise.resolve(),
    () => true,
  );
  expect(contents.get('m/a/1')).toEqual(content);
  expect(contents.isSame('m/a/1', { password: 'c2VjcmV0' })).toBe(true);
  const sealed = store.get('m/a/1')!;
  expect(sealed).not.toContain('c2VjcmV0');
  store.put([{ key: 'm/b/1', sealed }]);
  expect(() => contents.get('m/b/1')).toThrow('is not where it was written');
  expect(() => new SecretContents(store, sealer()).get('m/a/1')).toThrow();
});

test('a stored content of another length is not opened to be compared', async () => {
  const store = new MemoryContents();
  const contents = new SecretContents(store, sealer());
  await contents.using(
    [{ key: 'm/a/1', content: { password: 'c2VjcmV0', user: 'bWU=' } }],
    () => Promise.resolve(),
    () => true,
  );
  expect(contents.isSame('m/a/1', { user: 'bWU=', password: 'c2VjcmV0' })).toBe(true);
  const get = vi.spyOn(store, 'get');
  expect(contents.isSame('m/a/1', content)).toBe(false);
  expect(contents.isSame('m/b/1', content)).toBe(false);
  expect(get).not.toHaveBeenCalled();
});

test('a content that nothing refers to after its change is erased, but not while another writer of it is at work', async () => {
  const store = new MemoryContents();
  const contents = new SecretContents(store, sealer());
  const write = (fn: () => Promise<void>, isUsed: boolean): Promise<void> =>
    contents.using([{ key: 'm/a/1', content }], fn, () => isUsed);
  await expect(write(() => Promise.reject(new Error('refused')), false)).rejects.toThrow('refused');
  expect(store.keys()).toEqual([]);
  await write(async () => {
    await write(() => Promise.resolve(), false);
    contents.erase(['m/a/1'], () => false);
    expect(store.keys()).toEqual(['m/a/1']);
  }, true);
  expect(store.keys()).toEqual(['m/a/1']);
});
