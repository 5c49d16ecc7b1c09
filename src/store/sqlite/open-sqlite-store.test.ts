/** Contents of the file; contract.test.ts has the store's behaviour. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Entities } from '../../core/kinds.ts';
import { documents } from '../../core/documents.ts';
import type { PastQuery, Store } from '../store.ts';
import { countOf } from './packs.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { defined } from '../../core/defined.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-sqlite-'));
  path = join(folder, 'deep', 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (revisions: number, memoryBytes?: number): Store<Entities> =>
  openSqliteStore<Entities>({
    path,
    ...defined({ memoryBytes }),
    indexes: documents.indexes,
    findRemovedBy: documents.findRemovedBy,
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

test('documents are listed in the order of their creation, also after changes', async () => {
  const put = (store: Store<Entities>, id: string, next: number): Promise<void> =>
    store.change((tx) => tx.put('sequence', id, { name: id, next }), 'test');
  let store = open(1);
  for (const id of ['first', 'second', 'third']) await put(store, id, 0);
  // The first rows of the document are forgotten by now.
  for (let n = 1; n < 20; n++) await put(store, 'first', n);
  await store.close();
  store = open(1);
  expect([...store.read().list('sequence')].map(({ name }) => name)).toEqual(['first', 'second', 'third']);
  await store.close();
});

test('values that the history has forgotten are deleted, also those of removed documents', async () => {
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

test('the rows of one large change are forgotten in slices, also when the process ends in between', async () => {
  let store = open(10);
  const all = (fn: (id: string) => void): void => {
    for (let n = 0; n < 7000; n++) fn(`u${n} m`);
  };
  await store.change((tx) => {
    all((id) => tx.put('access', id, { user: 'u', model: 'm', access: 'read' }));
  }, 'test');
  await store.change((tx) => all((id) => tx.remove('access', id)), 'test');
  await store.change((tx) => tx.put('access', 'u0 m', { user: 'u', model: 'm', access: 'admin' }), 'test');
  expect(store.removed('', 'access', 'model', 'm')).toHaveLength(7000);
  let next = 0;
  const more = (): Promise<void> =>
    store.change((tx) => tx.put('sequence', 'same', { name: 'same', next: ++next }), 'test');
  const rows = async (): Promise<unknown> => {
    await store.close();
    const db = new DatabaseSync(path);
    const { n } = db.prepare(`SELECT sum(${countOf('entry')}) AS n FROM entry`).get() as { n: number };
    db.close();
    store = open(10);
    return n;
  };
  const check = (): void => {
    expect(store.horizon.revision).toBeGreaterThan(2);
    expect(store.removed('', 'access', 'model', 'm')).toEqual([]);
    expect([...store.past({ space: '' })].map(({ total }) => total)).not.toContain(7000);
    const documents = [{ space: '', kind: 'access', id: 'u1 m' }];
    expect([...store.past({ documents })]).toEqual([]);
    expect(store.timeOf(2)).toBe('');
    expect(store.read().get('access', 'u0 m')?.access).toBe('admin');
    expect(store.read().count('access')).toBe(1);
  };
  while (store.horizon.revision < 3) await more();
  check();
  expect(await rows()).toBeGreaterThan(7000);
  check();
  for (let n = 0; n < 20; n++) await more();
  check();
  expect(await rows()).toBeLessThan(50);
  check();
  await store.close();
});

test("the store's files are readable by their owner only", async () => {
  const store = open(10);
  for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
  await store.close();
});

test('changes do not lengthen the write-ahead log, which would cost each change a second fsync', async () => {
  const store = open(10);
  const before = statSync(`${path}-wal`).size;
  for (let n = 0; n < 2000; n++) {
    await store.change((tx) => tx.put('sequence', 'same', { name: 'same', next: n }), 'test');
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(before * 1.1);
  await store.close();
});

test('the past skips quiet changes and keeps all others', async () => {
  const path2 = join(folder, 'leases.db');
  const openLeases = (): Store<Entities> =>
    openSqliteStore<Entities>({
      path: path2,
      indexes: documents.indexes,
      quiet: documents.quiet,
      now: () => 0,
      newUuid: () => '',
    });
  let store = openLeases();
  const claim = async (holder: string, times: number): Promise<void> => {
    for (let n = 0; n < times; n++)
      await store.change(
        (tx) => tx.put('lease', 'a', { application: 'a', holder, expiresAt: `${tx.revision}` }),
        'test',
      );
  };
  await claim('a/0', 50);
  await store.change((tx) => tx.remove('lease', 'a'), 'test');
  await claim('a/1', 50);
  await claim('a/2', 50);
  await store.change((tx) => {
    tx.put('sequence', 'x', { name: 'x', next: 1 });
    tx.put('lease', 'a', { application: 'a', holder: 'a/2', expiresAt: 'later' });
  }, 'test');
  const check = (): void => {
    const past = (query: PastQuery): unknown[] =>
      [...store.past(query)].flatMap(({ revision, changes }) =>
        changes(10).flatMap((change) => {
          const [before, after] = [change.before, change.after] as (Entities['lease'] | undefined)[];
          return before?.holder === after?.holder ? [] : [[revision, before?.holder, after?.holder]];
        }),
      );
    const expected = [
      [102, 'a/1', 'a/2'],
      [52, undefined, 'a/1'],
      [51, 'a/0', undefined],
      [1, undefined, 'a/0'],
    ];
    expect(past({ space: '' })).toEqual(expected);
    expect([...store.past({ space: '' })]).toHaveLength(4);
    const documents = [{ space: '', kind: 'lease', id: 'a' }];
    expect(past({ documents })).toEqual(expected);
    // Only the leases of a/2: nobody took the lease away from a/1 before.
    expect([...store.past({ documents })].length).toBeLessThan(60);
  };
  check();
  await store.close();
  store = openLeases();
  check();
  await store.close();
});

test('documents that exceed the memory limit are refused before they are read, with the remedy; their history is not counted', async () => {
  const memory = 1024 * 1024;
  const put = (from: number, to: number, next: number): Promise<void> =>
    store.change((tx) => {
      for (let n = from; n < to; n++) tx.put('sequence', `${n}`, { name: `${n}`, next });
    }, 'test');
  let store = open(1000);
  for (let next = 0; next < 20; next++) await put(0, 2000, next);
  await store.close();
  store = open(1000, memory);
  await put(2000, 4000, 0);
  await store.close();
  expect(() => open(1000, memory)).toThrow(
    /store\.db is too large for this process: its 4000 documents need about 2 MiB of memory, and it may have 1 MiB\. Nothing was changed\. "grigri store-report --data-dir \/\S+" .*--max-old-space-size=3/,
  );
  store = open(1000);
  expect(store.read().count('sequence')).toBe(4000);
  await store.close();
});
