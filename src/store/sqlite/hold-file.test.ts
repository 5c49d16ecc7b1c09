import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ContentStore } from '../contents.ts';
import type { Store } from '../store.ts';
import { openContents } from './open-contents.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

interface Kinds {
  note: { readonly text: string };
}

let folder: string;
let store: Store<Kinds>;
const opened: (ContentStore | Store<Kinds>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-hold-'));
  store = open('store.db');
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(folder, { recursive: true });
});

function open(name: string): Store<Kinds> {
  const path = join(folder, name);
  const one = openSqliteStore<Kinds>({
    path,
    indexes: {},
    now: Date.now,
    newUuid: () => 'uuid',
  });
  opened.push(one);
  return one;
}

function openSecrets(name: string): ContentStore {
  const contents = openContents(join(folder, name));
  opened.push(contents);
  return contents;
}

/** Notes that are longer than a page, so that each change takes new pages. */
const put = (from: number, to: number): Promise<void> =>
  store.change((tx) => {
    for (let n = from; n < to; n++) tx.put('note', `n${n}`, { text: `${n} `.repeat(1500) });
  }, 'test');

const idsOf = (one: Store<Kinds>): number => [...one.read().list('note')].length;

test('a held file is copied as it was when it was held, while the store takes changes beyond several checkpoints', async () => {
  await put(0, 500);
  const held = store.holdFile();
  for (let n = 500; n < 3000; n += 500) await put(n, n + 500);
  copyFileSync(held.path, join(folder, 'copy.db'));
  await put(3000, 3500);
  held.release();
  await put(3500, 4000);
  expect(idsOf(open('copy.db'))).toBe(500);
  expect(idsOf(store)).toBe(4000);
  await store.close();
  expect(idsOf(open('store.db'))).toBe(4000);
});

test('a file can be held only once at a time, and again after its release', () => {
  const held = store.holdFile();
  expect(() => store.holdFile()).toThrow('store.db is being copied already');
  held.release();
  store.holdFile().release();
});

test('a held file may be released after the store was closed', async () => {
  const held = store.holdFile();
  await store.close();
  expect(() => held.release()).not.toThrow();
});

test('secrets that are erased while their file is held are in the copy, and nowhere else after the release', () => {
  const contents = openSecrets('secrets.db');
  contents.put([{ key: 'a', sealed: 'first' }]);
  const held = contents.holdFile();
  contents.put([{ key: 'b', sealed: 'second' }]);
  contents.erase(['a']);
  copyFileSync(held.path, join(folder, 'copy.db'));
  held.release();
  expect(openSecrets('copy.db').keys()).toEqual(['a']);
  expect(contents.keys()).toEqual(['b']);
});
