/** Life of long values in the database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc, { runs } from '../../testing/fast-check.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ValueGone } from '../../core/value-gone.ts';
import { hashOf } from '../mirror/long-values.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { defined } from '../../core/defined.ts';

interface Kinds {
  readonly pet: { readonly name: string; readonly tale?: string };
}
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-values-'));
  path = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (valueBytes?: number, revisions = 1000): Store<Kinds> =>
  openSqliteStore<Kinds>({
    path,
    indexes: {},
    now: () => 0,
    newUuid: () => '',
    retention: { revisions, ...defined({ valueBytes }) },
  });
const long = (seed: string, size = 1_000_000): string => seed.repeat(Math.ceil(size / seed.length));
const put = (store: Store<Kinds>, id: string, tale: string): Promise<void> =>
  store.change((tx) => tx.put('pet', id, { name: id, tale }), 'test');

function query<T>(sql: string): T[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all() as T[];
  } finally {
    db.close();
  }
}
const hashes = (): string[] => query<{ hash: string }>('SELECT hash FROM value').map(({ hash }) => hash);
const kept = (...tales: string[]): string[] => tales.map((tale) => hashOf(JSON.stringify(tale))).sort();

test('equal long values are stored once, whichever documents have them', async () => {
  const store = open();
  for (const id of ['a', 'b', 'c']) await put(store, id, long('same'));
  await store.close();
  expect(hashes()).toEqual(kept(long('same')));
  const rows = query<{ size: number }>('SELECT octet_length(doc) AS size FROM entry');
  for (const { size } of rows) expect(size).toBeLessThan(1000);
});

test('the newest values of the past are kept up to the limit; the others are known by size and hash', async () => {
  const store = open(2_500_000);
  for (let n = 0; n < 10; n++) await put(store, 'rex', long(String(n)));
  expect(store.read().get('pet', 'rex')?.tale).toBe(long('9'));
  expect((await store.at(9)).get('pet', 'rex')?.tale).toBe(long('8'));
  const past = (await store.at(2)).get('pet', 'rex')!;
  expect(past.name).toBe('rex');
  expect(() => past.tale).toThrow(ValueGone);
  const size = 1_000_002;
  expect(() => past.tale).toThrow(
    `a value of ${size} bytes (sha256 ${kept(long('1'))[0]}) is no longer kept`,
  );
  await store.close();
  expect(hashes().length).toBeLessThanOrEqual(4);
});

test('a value that a live document refers to stays, however old it is and whatever else is deleted', async () => {
  const store = open(0);
  await put(store, 'old', long('x'));
  await put(store, 'other', long('x'));
  await store.change((tx) => tx.remove('pet', 'other'), 'test');
  for (let n = 0; n < 5; n++) await put(store, 'rex', long(String(n)));
  await store.change((tx) => tx.remove('pet', 'rex'), 'test');
  await put(store, 'short', 'a');
  await store.close();
  expect(hashes()).toEqual(kept(long('x')));
  const reopened = open(0);
  expect(reopened.read().get('pet', 'old')?.tale).toBe(long('x'));
  await reopened.close();
});

test('values are deleted with the last row of the history that refers to them', async () => {
  const store = open(undefined, 10);
  await put(store, 'rex', long('a'));
  for (let n = 0; n < 30; n++) await put(store, 'rex', String(n));
  await store.close();
  expect(hashes()).toEqual([]);
  expect(query('SELECT * FROM value_ref')).toEqual([]);
});

test('the table holds exactly the values of live documents, and those of the past up to the limit, whatever was written', async () => {
  const step = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    tale: fc.constantFrom(undefined, ...['1', '2', '3', '4'].map((seed) => long(seed, 10_000))),
    removes: fc.boolean(),
    reopens: fc.nat({ max: 9 }).map((n) => n === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      rmSync(folder, { recursive: true });
      path = join((folder = mkdtempSync(join(tmpdir(), 'grigri-values-'))), 'store.db');
      let store = open(20_000, 5);
      const model = new Map<string, string | undefined>();
      for (const { id, tale, removes, reopens } of steps) {
        await store.change((tx) => {
          if (removes) tx.remove('pet', id);
          else tx.put('pet', id, { name: id, ...defined({ tale }) });
        }, 'test');
        if (removes) model.delete(id);
        else model.set(id, tale);
        if (reopens) {
          await store.close();
          store = open(20_000, 5);
        }
        for (const [pet, expected] of model) expect(store.read().get('pet', pet)?.tale).toBe(expected);
      }
      await store.close();
      const referred = new Set(
        query<{ value: number }>('SELECT value FROM value_ref').map((ref) => ref.value),
      );
      const values = query<{ id: number }>('SELECT id FROM value').map((value) => value.id);
      expect(new Set(values)).toEqual(referred);
      const live = query<{ n: number }>('SELECT count(*) AS n FROM value_ref WHERE until IS NULL')[0]!.n;
      expect(live).toBe([...model.values()].filter((tale) => tale !== undefined).length);
    }),
    { numRuns: runs(30) },
  );
}, 60_000);

/** Rewrites rows as the previous version wrote them: all of a document in its row. */
function asBefore(): void {
  const db = new DatabaseSync(path);
  const rows = db
    .prepare(
      `SELECT e.seq, e.doc, v.text FROM entry e JOIN value_ref r ON r.seq = e.seq JOIN value v ON v.id = r.value`,
    )
    .all() as { seq: number; doc: string; text: string }[];
  for (const { seq, doc, text } of rows)
    db.prepare('UPDATE entry SET doc = ? WHERE seq = ?').run(
      doc.replace('"tale":null', `"tale":${text}`),
      seq,
    );
  db.exec(`
    DROP TABLE value; DROP TABLE value_ref; DROP TABLE unsplit;
    ALTER TABLE entry DROP COLUMN long; ALTER TABLE entry DROP COLUMN quiet; ALTER TABLE entry DROP COLUMN sum; ALTER TABLE entry DROP COLUMN pack;
    ALTER TABLE revision DROP COLUMN rows;
    PRAGMA user_version = 2`);
  db.close();
}

test('a database of the previous version is opened, and its long members are moved out of its rows, in the history and in live documents', async () => {
  const store = open();
  for (let n = 0; n < 12; n++) await put(store, `pet${n % 3}`, long(String(n)));
  await store.change((tx) => tx.remove('pet', 'pet0'), 'test');
  await store.close();
  asBefore();
  expect(query<{ n: number }>('SELECT max(octet_length(doc)) AS n FROM entry')[0]!.n).toBeGreaterThan(1e6);
  const reopened = open();
  expect(reopened.read().get('pet', 'pet1')?.tale).toBe(long('10'));
  expect((await reopened.at(12)).get('pet', 'pet0')?.tale).toBe(long('9'));
  expect((await reopened.at(7)).get('pet', 'pet0')?.tale).toBe(long('6'));
  await reopened.close();
  expect(query<{ n: number }>('SELECT max(octet_length(doc)) AS n FROM entry')[0]!.n).toBeLessThan(1000);
  expect(query('SELECT * FROM value_ref WHERE until IS NULL')).toHaveLength(2);
  expect(query('SELECT * FROM unsplit')).toEqual([]);
});
