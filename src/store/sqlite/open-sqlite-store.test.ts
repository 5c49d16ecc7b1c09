/** What is in the file. The store's behaviour is in contract.test.ts. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Entities } from '../../core/entities.ts';
import { indexes, removedIndexes } from '../../core/indexes.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-sqlite-'));
  path = join(folder, 'deep', 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (revisions: number): Store<Entities> =>
  openSqliteStore<Entities>({
    path,
    indexes,
    findRemovedBy: removedIndexes,
    now: () => 0,
    newUuid: () => '',
    retention: { revisions },
  });

test('the entities of the core are stored and found by their indexes', async () => {
  const store = open(10);
  const access = { user: 'admin', model: 'm1', access: 'admin' } as const;
  await store.change((tx) => tx.put('access', 'admin m1', access), 'test');
  expect([...store.read().find('access', 'model', 'm1')]).toEqual([access]);
  await store.close();
});

test('values that the history has forgotten are deleted, removed documents too', async () => {
  const store = open(10);
  for (let n = 0; n < 200; n++) {
    await store.change((tx) => tx.put('sequence', 'same', { name: 'same', next: n }), 'test');
    await store.change((tx) => tx.put('sequence', `${n}`, { name: `${n}`, next: n }), 'test');
    await store.change((tx) => tx.remove('sequence', `${n}`), 'test');
  }
  await store.close();
  const db = new DatabaseSync(path);
  const count = (table: string): unknown => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  expect(count('revision')).toBe(10);
  expect(count('entry')).toBeLessThanOrEqual(13);
  db.close();
});

test('only their owner reads the files', async () => {
  const store = open(10);
  for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
  await store.close();
});

test('the log does not grow from changes: that would cost each of them a second fsync', async () => {
  const store = open(10);
  const before = statSync(`${path}-wal`).size;
  for (let n = 0; n < 2000; n++) {
    await store.change((tx) => tx.put('sequence', 'same', { name: 'same', next: n }), 'test');
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(before * 1.1);
  await store.close();
});

test('a file of a newer format is refused and left alone', async () => {
  await open(10).close();
  const db = new DatabaseSync(path);
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(() => open(10)).toThrow('written by a newer version (format 99)');
});

test('a file of the first format is brought to the newest, with all that is in it', async () => {
  const store = open(10);
  await store.change((tx) => tx.put('sequence', 'a', { name: 'a', next: 1 }), 'test');
  await store.close();
  const db = new DatabaseSync(path);
  db.exec('DROP TABLE removed; PRAGMA user_version = 1');
  db.close();
  const again = open(10);
  expect(again.read().get('sequence', 'a')?.next).toBe(1);
  const access = { user: 'bob', model: 'm1', access: 'read' } as const;
  await again.change((tx) => tx.put('access', 'bob m1', access), 'test');
  await again.change((tx) => tx.remove('access', 'bob m1'), 'test');
  expect(again.removed('', 'access', 'model', 'm1')).toEqual(['bob m1']);
  await again.close();
});
