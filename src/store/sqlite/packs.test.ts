/** Packs in the file: rows with several documents of one change. The store's contract is run over them, too. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import fc from '../../testing/fast-check.ts';
import type { Entry } from '../mirror/entry-set.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { documentsOfPack, forgotten, packText, unpack } from './packs.ts';
import { repairRows, reportFile } from './repair.ts';
import { rowSum } from './rows.ts';

interface Kinds {
  readonly pet: { readonly name: string; readonly n: number; readonly tale?: string };
  readonly toy: { readonly n: number };
}
type Row = Readonly<Record<string, unknown>>;
let folder: string;
let path: string;
let store: Store<Kinds>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-packs-'));
  path = join(folder, 'store.db');
  store = open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const open = (revisions = 1000, memoryBytes?: number): Store<Kinds> =>
  openSqliteStore<Kinds>({
    path,
    indexes: {},
    now: () => 0,
    newUuid: () => '',
    retention: { revisions },
    ...(memoryBytes !== undefined && { memoryBytes }),
  });
const names = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `pet${from + n}`);
const add = (ids: readonly string[], n = 0, tale?: string): Promise<void> =>
  store.change((tx) => {
    for (const name of ids) tx.in('m').put('pet', name, tale === undefined ? { name, n } : { name, n, tale });
  }, 'test');
const remove = (ids: readonly string[]): Promise<void> =>
  store.change((tx) => {
    for (const id of ids) tx.in('m').remove('pet', id);
  }, 'test');
async function reopen(revisions?: number): Promise<void> {
  await store.close();
  store = open(revisions);
}
async function rows(sql = 'SELECT * FROM entry'): Promise<readonly Row[]> {
  await store.close();
  const db = new DatabaseSync(path);
  const found = db.prepare(sql).all();
  db.close();
  store = open();
  return found;
}
const packs = async (): Promise<unknown[]> => (await rows()).map((row) => row['pack']);
const live = (): string[] => [...store.read().in('m').list('pet')].map(({ name }) => name);

test('new documents of one kind and space that one change adds share rows; the documents that do not fill a pack have rows of their own', async () => {
  await add(names(0, 2 * documentsOfPack + 3));
  expect(await packs()).toEqual([documentsOfPack, documentsOfPack, null, null, null]);
  expect(live()).toEqual(names(0, 2 * documentsOfPack + 3));
  expect(store.read().in('m').revisionOf('pet', 'pet7')).toBe(1);
});

test.each([
  ['changed documents', () => add(names(0, documentsOfPack), 2)],
  [
    'documents that were removed and are added again',
    async () => {
      await remove(names(0, documentsOfPack));
      await add(names(0, documentsOfPack), 3);
    },
  ],
])('%s have a row each, which links to the older row', async (_, change) => {
  await add(names(0, documentsOfPack));
  await change();
  const [first, ...others] = await rows('SELECT pack, prev FROM entry ORDER BY seq');
  expect(first).toEqual({ pack: documentsOfPack, prev: null });
  expect(others.every(({ pack, prev }) => pack === null && typeof prev === 'number')).toBe(true);
});

test('documents of several kinds, of several spaces, or with more than 1 KiB have a row each', async () => {
  await store.change((tx) => {
    for (let n = 0; n < documentsOfPack; n++) {
      tx.in('m').put('pet', `pet${n}`, { name: `pet${n}`, n });
      tx.in('m').put('toy', `toy${n}`, { n });
    }
    for (let n = 0; n < documentsOfPack; n++) tx.in(`other${n}`).put('toy', 'toy', { n });
  }, 'test');
  await add(names(50, documentsOfPack), 0, 'x'.repeat(1100));
  expect(new Set(await packs())).toEqual(new Set([null]));
});

test('the history knows each document of a pack by itself', async () => {
  await add(names(0, documentsOfPack));
  await add(['pet3'], 1);
  await remove(['pet4']);
  await reopen();
  const past = (id: string): unknown[] =>
    [...store.past({ documents: [{ space: 'm', kind: 'pet', id }] })].map(({ revision, changes }) => [
      revision,
      changes(9).map(({ id, before, after }) => [
        id,
        before?.['n' as keyof object],
        after?.['n' as keyof object],
      ]),
    ]);
  expect(past('pet3')).toEqual([
    [2, [['pet3', 0, 1]]],
    [1, [['pet3', undefined, 0]]],
  ]);
  expect(past('pet4')).toEqual([
    [3, [['pet4', 0, undefined]]],
    [1, [['pet4', undefined, 0]]],
  ]);
  const ofSpace = [...store.past({ space: 'm' })];
  expect(ofSpace.map(({ total }) => total)).toEqual([1, 1, documentsOfPack]);
  expect(ofSpace[2]!.changes(5).map(({ id }) => id)).toEqual(names(0, 5));
  const before = (await store.at(1)).in('m');
  expect([...before.list('pet')].map(({ name, n }) => [name, n])).toEqual(
    names(0, documentsOfPack).map((name) => [name, 0]),
  );
  expect([...(await store.at(0)).in('m').list('pet')]).toEqual([]);
});

test('a pack goes with the last of its documents that the history forgets, and none of them comes back', async () => {
  await store.close();
  store = open(1);
  await add(names(0, documentsOfPack));
  await remove(names(0, documentsOfPack - 1));
  for (let n = 0; n < 3; n++) await add(['other'], n);
  await reopen(1);
  expect(live()).toEqual([`pet${documentsOfPack - 1}`, 'other']);
  expect((await packs())[0]).toBe(
    forgotten(
      documentsOfPack,
      Array.from({ length: documentsOfPack - 1 }, (_, n) => n + 1),
    ),
  );
  await reopen(1);
  await remove([`pet${documentsOfPack - 1}`]);
  for (let n = 0; n < 3; n++) await add(['other'], n);
  expect(await packs()).toEqual([null, null]);
  await reopen();
  expect(live()).toEqual(['other']);
});

test('a document of a pack that is added again after the history forgot it has no past', async () => {
  await store.close();
  store = open(1);
  await add(names(0, documentsOfPack));
  await remove(['pet1']);
  for (let n = 0; n < 3; n++) await add(['other'], n);
  await add(['pet1'], 5);
  const documents = [{ space: 'm', kind: 'pet' as const, id: 'pet1' }];
  expect(
    [...store.past({ documents })].flatMap(({ changes }) => changes(9).map(({ before }) => before)),
  ).toEqual([undefined]);
  await reopen(1);
  expect(store.read().in('m').get('pet', 'pet1')?.n).toBe(5);
});

test.each([
  ['text', `doc = replace(doc, '"n":0', '"n":1')`],
  ['text that is no JSON', `doc = substr(doc, 1, 50)`],
  ['count', `pack = pack - 1`],
  ['note that a document is forgotten', `pack = pack + 256`],
  ['mark of being a pack', `pack = NULL`],
])(
  'a pack whose %s was changed is damage, and its repair removes documents that have no newer row',
  async (_, set) => {
    await add(names(0, documentsOfPack));
    await add(names(20, documentsOfPack));
    await add(['pet3'], 9);
    await store.close();
    const db = new DatabaseSync(path);
    db.exec(`UPDATE entry SET ${set} WHERE seq = ${documentsOfPack}`);
    db.close();
    store = open();
    expect(store.isDamaged).toBe(true);
    expect(store.problem).toContain(`row ${documentsOfPack} of table entry`);
    expect(store.problem).toContain('would be lost');
    expect(live()).toEqual(['pet3', ...names(20, documentsOfPack)]);
    await expect(add(['new'])).rejects.toThrow('is damaged');
    await store.close();
    expect(repairRows(path, `${path}.copy`)).toHaveLength(1);
    store = open();
    expect(store.problem).toBeUndefined();
    expect(live()).toEqual(['pet3', ...names(20, documentsOfPack)]);
  },
);

test('the problem of a damaged pack says how many documents of which kind it holds', async () => {
  await add(names(0, documentsOfPack));
  await store.close();
  const db = new DatabaseSync(path);
  db.exec('UPDATE entry SET sum = 1');
  db.close();
  store = open();
  expect(store.problem).toContain(
    `row ${documentsOfPack} of table entry, ${documentsOfPack} documents of kind pet in model m at revision 1, is damaged: its checksum is wrong`,
  );
  expect(store.problem).toContain('those not changed since would be lost');
});

test('the problem of a damaged row says that its document goes back to what a pack holds of it', async () => {
  await add(names(0, documentsOfPack));
  await add(['pet3'], 1);
  await store.close();
  const db = new DatabaseSync(path);
  db.exec('UPDATE entry SET sum = 1 WHERE pack IS NULL');
  db.close();
  store = open();
  expect(store.problem).toContain('it would be as at revision 1');
  expect(store.read().in('m').get('pet', 'pet3')?.n).toBe(0);
});

test('documents of packs that the history has forgotten need no memory', async () => {
  await store.close();
  store = open(1);
  const all = names(0, 100 * documentsOfPack);
  await add(all);
  await add(
    all.filter((_, n) => n % documentsOfPack !== 0),
    1,
  );
  for (let n = 0; n < 5; n++) await add(['other'], n);
  await store.close();
  store = open(1, 800_000);
  expect(live()).toHaveLength(all.length + 1);
});

test('a report counts the documents of packs one by one', async () => {
  await add(names(0, documentsOfPack));
  await add(['pet3'], 1, 'long tale');
  await store.close();
  const report = reportFile(path);
  expect(report.kinds).toEqual([
    expect.objectContaining({ space: 'm', kind: 'pet', count: documentsOfPack, changes: 1 }),
  ]);
  expect(report.documents[0]).toMatchObject({
    id: 'pet3',
    live: '{"name":"pet3","n":1,"tale":"long tale"}'.length,
  });
  expect(report.documents[1]!.live).toBe('{"name":"pet10","n":0}'.length);
  store = open();
});

test('a file without packs is reported, repaired and read as before', async () => {
  await add(['rex', 'tom']);
  await store.close();
  const db = new DatabaseSync(path);
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  db.exec(
    `ALTER TABLE entry DROP COLUMN pack; ALTER TABLE revision DROP COLUMN rows; PRAGMA user_version = ${version - 3}`,
  );
  db.close();
  expect(reportFile(path).kinds[0]?.count).toBe(2);
  expect(repairRows(path, `${path}.copy`)).toEqual([]);
  store = open();
  expect(live()).toEqual(['rex', 'tom']);
  await add(names(0, documentsOfPack));
  await reopen();
  expect(live()).toEqual(['rex', 'tom', ...names(0, documentsOfPack)]);
});

test('a file of an older version, whose packs are lists, is read as it is, and packs of later changes are tables', async () => {
  await add(names(0, documentsOfPack));
  await add(names(20, documentsOfPack), 4);
  await store.close();
  const db = new DatabaseSync(path);
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  for (const row of db.prepare('SELECT * FROM entry').all() as unknown as Parameters<typeof rowSum>[0][]) {
    const { seq, pack } = row;
    const text = (row as unknown as { doc: string }).doc;
    const list = JSON.stringify(
      unpack(text, { seq, pack: pack! }).flatMap(({ id, doc }) => [id, doc] as const),
    );
    db.prepare('UPDATE entry SET doc = ?, sum = ? WHERE seq = ?').run(list, rowSum(row, list), seq);
  }
  db.exec(`ALTER TABLE revision DROP COLUMN rows; PRAGMA user_version = ${version - 2}`);
  db.close();
  expect(repairRows(path, `${path}.copy`)).toEqual([]);
  expect(reportFile(path).kinds[0]?.count).toBe(2 * documentsOfPack);
  store = open();
  expect(store.problem).toBeUndefined();
  expect(live()).toEqual([...names(0, documentsOfPack), ...names(20, documentsOfPack)]);
  expect(store.read().in('m').get('pet', 'pet20')).toEqual({ name: 'pet20', n: 4 });
  await add(['pet3'], 7);
  await add(names(40, documentsOfPack));
  await reopen();
  expect([...store.read().in('m').list('pet')].map(({ n }) => n)).toEqual(
    [...Array<number>(documentsOfPack).fill(0), ...Array<number>(documentsOfPack).fill(4)]
      .concat(Array<number>(documentsOfPack).fill(0))
      .with(3, 7),
  );
  expect((await rows('SELECT doc FROM entry ORDER BY seq')).map(({ doc }) => String(doc)[0])).toEqual([
    '[',
    '[',
    '{',
    '{',
  ]);
});

const pack = (docs: readonly object[]): string =>
  packText(
    docs.map((doc, n) => ({
      space: 'm',
      kind: 'pet',
      id: `pet${n}`,
      seq: n + 1,
      before: undefined,
      after: { doc } as Entry,
    })),
    0,
    docs.length,
  );

test.each<[string, object[], string]>([
  [
    'what all have in common stands once, members that are the id have no values, others are columns',
    [
      { name: 'pet0', n: 0, base: { os: 'u' }, list: [] },
      { name: 'pet1', n: 1, base: { os: 'u' }, list: [] },
    ],
    '{"ids":["pet0","pet1"],"common":{"name":null,"n":null,"base":{"os":"u"},"list":[]},"columns":{"name":"ids","n":[0,1]}}',
  ],
  [
    'values whose members have another order are another text',
    [{ base: { a: 1, b: 2 } }, { base: { b: 2, a: 1 } }],
    '{"ids":["pet0","pet1"],"common":{"base":null},"columns":{"base":[{"a":1,"b":2},{"b":2,"a":1}]}}',
  ],
  ['documents with other members are a list', [{ a: 1 }, { b: 1 }], '["pet0",{"a":1},"pet1",{"b":1}]'],
  [
    'so are those with fewer or more members',
    [{ a: 1, b: 2 }, { a: 1 }],
    '["pet0",{"a":1,"b":2},"pet1",{"a":1}]',
  ],
  [
    'so are members in another order',
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    '["pet0",{"a":1,"b":2},"pet1",{"b":2,"a":1}]',
  ],
  ['so are lists', [[1], [2]], '["pet0",[1],"pet1",[2]]'],
])('the text of a pack: %s', (_, docs, text) => {
  expect(pack(docs)).toBe(text);
});

test('documents are read from a pack as they were written, including the order of their members, and without the forgotten ones', () => {
  const value = fc.oneof(
    fc.constantFrom(null, 0, '', 'pet0', 'ids', true, [], {}),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const members = fc.dictionary(fc.constantFrom('name', 'ids', 'common', '__proto__', '7', 'x'), value);
  const docs = fc
    .tuple(
      members,
      fc.array(fc.dictionary(fc.constantFrom('name', 'x', '7'), value), { minLength: 2, maxLength: 16 }),
    )
    .map(([all, each]) => each.map((own) => ({ ...all, ...own })));
  fc.assert(
    fc.property(docs, fc.nat(2 ** 16), (docs, gone) => {
      const count = docs.length;
      const bits = gone % 2 ** count;
      const left = docs
        .map((doc, n) => ({ id: `pet${n}`, seq: 100 - count + 1 + n, doc }))
        .filter((_, n) => ((bits >> (count - 1 - n)) & 1) === 0);
      const unpacked = unpack(pack(docs), { seq: 100, pack: count + 256 * bits });
      expect(unpacked.map(({ id, seq, doc }) => JSON.stringify([id, seq, doc]))).toEqual(
        left.map(({ id, seq, doc }) => JSON.stringify([id, seq, doc])),
      );
    }),
  );
});

test('a text that is not a pack of the given number of documents is refused', () => {
  const tables = [{ ids: ['a'] }, { ids: ['a', 'b'], columns: { name: ['x'] } }, { ids: 'ab' }];
  for (const text of ['{}', '[]', '["a",{}]', 'null', '7', ...tables.map((table) => JSON.stringify(table))])
    expect(() => unpack(text, { seq: 2, pack: 2 })).toThrow('2 documents');
  expect(unpack('["a",{},"b",{}]', { seq: 9, pack: 2 })).toEqual([
    { id: 'a', seq: 8, doc: {} },
    { id: 'b', seq: 9, doc: {} },
  ]);
});
