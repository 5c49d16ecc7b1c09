/** A damaged or full disk: the store reports the problem, or opens with exactly what was stored. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc, { runs } from '../../testing/fast-check.ts';
import { some } from '../../testing/thorough.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { repairRows, reportFile } from './repair.ts';
import { newPageBytes } from './open-database.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { defined } from '../../core/defined.ts';

interface Kinds {
  readonly pet: { readonly name: string; readonly n: number; readonly tale?: string };
}
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-damage-'));
  path = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (maxBytes?: number, at = path): Store<Kinds> =>
  openSqliteStore<Kinds>({
    path: at,
    indexes: {},
    now: () => 0,
    newUuid: () => '',
    ...defined({ maxBytes }),
  });
const put = (store: Store<Kinds>, id: string, n: number, tale?: string): Promise<void> =>
  store.change((tx) => tx.in('m1').put('pet', id, { name: id, n, ...defined({ tale }) }), 'test');
const MiB = 1024 * 1024;

test('a full disk refuses changes with its reason, allows reading, and takes changes again once there is room', async () => {
  let store = open(2 * MiB);
  await put(store, 'rex', 1);
  expect(store.problem).toBeUndefined();
  const full = `the disk of ${path} is full: free some space (grigri store-report lists what takes it)`;
  await expect(put(store, 'big', 1, 'x'.repeat(4 * MiB))).rejects.toMatchObject({
    code: 'try again',
    message: expect.stringContaining(`the change could not be stored: ${full}`) as string,
  });
  expect(store.problem).toContain(full);
  expect(store.read().in('m1').get('pet', 'rex')?.n).toBe(1);
  expect(store.read().in('m1').get('pet', 'big')).toBeUndefined();
  await store.close();
  store = open();
  expect(store.problem).toBeUndefined();
  await put(store, 'big', 1, 'x'.repeat(4 * MiB));
  expect(store.read().in('m1').get('pet', 'big')?.tale).toHaveLength(4 * MiB);
  await store.close();
});

async function filled(): Promise<void> {
  const store = open();
  await put(store, 'rex', 1);
  await put(store, 'rex', 2);
  await put(store, 'tom', 3);
  await put(store, 'old', 4);
  await store.change((tx) => tx.in('m1').remove('pet', 'old'), 'test');
  await put(store, 'tale', 5, 'a tale '.repeat(5000));
  for (let n = 0; n < 200; n++) await put(store, `many${n}`, n);
  await store.close();
}
function sql(text: string): void {
  const db = new DatabaseSync(path);
  db.exec(text);
  db.close();
}

test.each([
  ['garbage instead of JSON', `doc = '{"name":"rex","n":'`, 'pet "rex"'],
  ['a number that was changed', `doc = replace(doc, '2', '7')`, 'pet "rex"'],
  ['another id', `id = 'rax'`, 'pet "rax"'],
  ['another kind', `kind = 'toy'`, 'toy "rex"'],
])(
  'a store with a row of %s can be read as it was before that row, reports the damage, and is left unchanged',
  async (_, set, what) => {
    await filled();
    sql(`UPDATE entry SET ${set} WHERE seq = 2`);
    const before = readFileSync(path);
    const store = open();
    expect(store.isDamaged).toBe(true);
    expect(store.problem).toContain(
      `${path} is damaged: row 2 of table entry, ${what} in model m1 at revision 2, is damaged: its checksum is wrong. ` +
        'Nothing was changed. Stop the controller and restore a copy of the folder, or run ' +
        `"grigri store-repair --data-dir ${dirname(path)}" then`,
    );
    const pets = store.read().in('m1');
    expect(['rex', 'tom', 'tale'].map((id) => pets.get('pet', id)?.n)).toEqual([1, 3, 5]);
    expect(pets.get('pet', 'tale')?.tale).toBe('a tale '.repeat(5000));
    expect([...pets.list('pet')]).toHaveLength(203);
    expect([...store.past({ space: 'm1' })]).toHaveLength(205);
    for (let n = 0; n < 2; n++) {
      await expect(put(store, 'rex', 9)).rejects.toMatchObject({
        code: 'try again',
        message: `the change could not be stored: ${store.problem}`,
      });
    }
    expect(pets.get('pet', 'rex')?.n).toBe(1);
    await store.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  },
);

test('the message about a damaged row names the revision that its document would go back to, and that revision is shown', async () => {
  await filled();
  const shown = async (): Promise<unknown> => {
    const store = open();
    const { problem } = store;
    const ids = ['rex', 'tom'].map((id) => store.read().in('m1').get('pet', id)?.n);
    await store.close();
    return [/removes the row: ([^;]*);/.exec(problem ?? '')?.[1], ids];
  };
  sql(`UPDATE entry SET doc = 'x' WHERE seq IN (2, 3)`);
  expect(await shown()).toEqual(['the document would be lost', [1, undefined]]);
  sql(
    `DELETE FROM entry WHERE seq = 3; UPDATE revision SET rows = rows - 1 WHERE revision = (SELECT max(revision) FROM revision)`,
  );
  expect(await shown()).toEqual(['it would be as at revision 1', [1, undefined]]);
});

test('a store with more damage than fits the cache is left unchanged', async () => {
  let store = open();
  for (const n of [1, 2]) {
    await store.change((tx) => {
      const pets = tx.in('m1');
      for (let i = 0; i < 12_000; i++) pets.put('pet', `${i}`, { name: `${i}`, n, tale: 'x'.repeat(1800) });
    }, 'test');
  }
  await store.close();
  sql(`UPDATE entry SET sum = 1 WHERE revision = 2 AND seq % 2 = 0`);
  const before = readFileSync(path);
  store = open();
  expect([6, 7].map((id) => store.read().in('m1').get('pet', `${id}`)?.n === 1)).toEqual([false, true]);
  // Every opening writes two pages.
  const log = readFileSync(`${path}-wal`).subarray(32 + 2 * (24 + newPageBytes));
  expect(log.equals(Buffer.alloc(log.length))).toBe(true);
  await store.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a removal row that names another document is damage: the store is read-only and shows the removed document', async () => {
  await filled();
  sql(`UPDATE entry SET id = 'nobody' WHERE seq = 5`);
  const store = open();
  expect(store.problem).toContain('row 5 of table entry, pet "nobody" in model m1');
  expect(store.read().in('m1').get('pet', 'old')?.n).toBe(4);
  await expect(put(store, 'tom', 9)).rejects.toThrow('row 5 of table entry');
  await store.close();
});

test('store-repair removes damaged rows: a document is what it was before, or lost, and the rest stays', async () => {
  await filled();
  const copy = join(folder, 'before.db');
  expect(repairRows(path, copy)).toEqual([]);
  sql(`UPDATE entry SET doc = 'x' WHERE seq IN (2, 3)`);
  sql(`UPDATE entry SET doc = 'y' WHERE seq = (SELECT max(seq) FROM entry)`);
  sql(`UPDATE value SET text = replace(text, 'a tale', 'a lie!')`);
  const damaged = readFileSync(path);
  const repairs = repairRows(path, copy);
  expect(repairs.map(({ row, revision }) => [/row (\d+) .* "(\w+)"/.exec(row)?.slice(1), revision])).toEqual([
    [['2', 'rex'], 1],
    [['3', 'tom'], undefined],
    [['6', 'tale'], undefined],
    [['206', 'many199'], undefined],
  ]);
  expect(readFileSync(copy).equals(damaged)).toBe(true);
  const store = open();
  const reader = store.read().in('m1');
  expect(['rex', 'tom', 'tale', 'many199', 'many198'].map((id) => reader.get('pet', id)?.n)).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    198,
  ]);
  // The revision number of a removed row is not used again.
  await put(store, 'rex', 9);
  expect(reader.get('pet', 'rex')?.n).toBe(9);
  await store.close();
  await open().close();
});

test('a damaged row of a replaced document is reported and removed too, because it may have named another document', async () => {
  await filled();
  sql(`UPDATE entry SET id = 'many199' WHERE id = 'many7'`);
  let store = open();
  expect(store.problem).toContain('pet "many199" in model m1');
  expect(store.read().in('m1').get('pet', 'many199')?.n).toBe(199);
  await store.close();
  expect(repairRows(path, join(folder, 'before.db'))).toHaveLength(1);
  store = open();
  expect(store.isDamaged).toBe(false);
  expect(store.read().in('m1').get('pet', 'many199')?.n).toBe(199);
  await store.close();
});

test('a damaged removal row of a document that was put again is reported and removed as well', async () => {
  await filled();
  let store = open();
  await put(store, 'old', 5);
  await store.close();
  sql(`UPDATE entry SET sum = 1 WHERE seq = 5`);
  store = open();
  expect(store.problem).toContain('row 5 of table entry, pet "old" in model m1');
  expect(store.read().in('m1').get('pet', 'old')?.n).toBe(5);
  await store.close();
  expect(repairRows(path, join(folder, 'before.db'))).toHaveLength(1);
  store = open();
  expect(store.isDamaged).toBe(false);
  expect(store.read().in('m1').get('pet', 'old')?.n).toBe(5);
  await store.close();
});

test('store-report lists kinds, their history and the largest documents, on the open store and on the file', async () => {
  await filled();
  let store = open();
  await put(store, 'tale', 6, 'b tale '.repeat(5000));
  const report = await store.report();
  expect(() => reportFile(path)).toThrow(`${path} is in use by another process`);
  await store.close();
  expect(report.kinds).toEqual([
    {
      space: 'm1',
      kind: 'pet',
      count: 203,
      live: expect.any(Number) as number,
      changes: 3,
      history: expect.any(Number) as number,
    },
  ]);
  const [largest] = report.documents;
  expect(largest).toMatchObject({ space: 'm1', kind: 'pet', id: 'tale' });
  for (const size of [largest!.live, largest!.history]) expect(Math.abs(size - 35_050)).toBeLessThan(100);
  expect(reportFile(path)).toEqual({ ...report, free: expect.any(Number) as number });
  store = open();
  await store.close();
});

test.for([
  ['lost its text', `UPDATE value SET text = replace(text, 'a tale', 'a lie!')`, 'is not as it was written'],
  ['is gone', 'DELETE FROM value', 'is missing'],
  ['is gone with its reference', 'DELETE FROM value; DELETE FROM value_ref', 'is missing'],
  ['lost its hash', `UPDATE value SET hash = 'x' || hash`, 'is missing'],
] as const)(
  'a long value of a live document that %s is reported with its file, its row, the loss and the remedy, until it is repaired',
  async ([, damage, what]) => {
    await filled();
    sql(damage);
    let store = open();
    expect(store.read().in('m1').get('pet', 'tale')?.n).toBe(5);
    let message = '';
    try {
      void store.read().in('m1').get('pet', 'tale')?.tale;
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`${path} is damaged: row `);
    expect(message).toContain('of table entry, pet "tale" in model m1 at revision ');
    expect(message).toMatch(
      /the value of its member "tale" \((row \d+ of )?table value, \d+ bytes, sha256 \w{64}\) /,
    );
    expect(message).toContain(`${what}; the rest of the document is there`);
    expect(message).toContain(
      `"grigri store-repair --data-dir ${dirname(path)}" then, which removes the row: `,
    );
    expect(message).not.toContain('no longer kept');
    await store.close();
    const repairs = repairRows(path, `${path}.damaged`);
    expect(repairs.map(({ row }) => row)).toContainEqual(expect.stringContaining(`table value`) as string);
    store = open();
    expect(() => JSON.stringify([...store.read().in('m1').list('pet')])).not.toThrow();
    await store.close();
  },
);

test('a page that shows fewer rows than it has is damage, and a repair accepts what is left', async () => {
  await filled();
  const good = readFileSync(path);
  const leaf = 13;
  let repaired = 0;
  for (let at = newPageBytes; at < good.length; at += newPageBytes) {
    const cells = good.readUInt16BE(at + 3);
    if (good[at] !== leaf || cells === 0) continue;
    for (const fewer of [0, cells - 1]) {
      const bytes = Buffer.from(good);
      bytes.writeUInt16BE(fewer, at + 3);
      writeFileSync(path, bytes);
      rmSync(`${path}-wal`, { force: true });
      try {
        await open().close();
      } catch (error) {
        expect((error as Error).message).toContain('store.db is damaged');
        const missing = /table entry shows \d+ of its 206 rows/.exec((error as Error).message)?.[0];
        if (!missing) continue;
        expect(repairRows(path, `${path}.before`)).toContainEqual({ row: missing });
        await open().close();
        expect(repairRows(path, `${path}.before`)).toEqual([]);
        repaired++;
      }
    }
  }
  expect(repaired).toBeGreaterThanOrEqual(2);
});

test('a file with any bytes changed, cut off or missing is refused by name, opened read-only with the problem, or shows what was stored', async () => {
  await filled();
  const packing = open();
  await packing.change((tx) => {
    for (let n = 0; n < 100; n++) tx.in('m1').put('pet', `packed${n}`, { name: `packed${n}`, n });
  }, 'test');
  await put(packing, 'packed7', 8);
  await packing.close();
  const good = readFileSync(path);
  const all = (store: Store<Kinds>): string =>
    JSON.stringify([...store.read().in('m1').list('pet')].sort((a, b) => (a.name < b.name ? -1 : 1)));
  const sound = open();
  const expected = all(sound);
  await sound.close();
  const results = { refused: 0, readOnly: 0, unharmed: 0 };
  const copy = join(folder, 'copy.db');
  const damage = fc.record({
    what: fc.constantFrom('flip', 'zero', 'cut'),
    at: fc.nat({ max: good.length - 1 }),
    length: fc.constantFrom(1, 1, 16, newPageBytes),
    by: fc.integer({ min: 1, max: 255 }),
  });
  const row = good.lastIndexOf('{"name":"many199"');
  expect(row).toBeGreaterThan(0);
  const inRow: typeof damage extends fc.Arbitrary<infer D> ? D : never = {
    what: 'flip',
    at: row + 2,
    length: 1,
    by: 1,
  };
  // Bytes behind the head of each page: SQLite does not notice all of these changes.
  const pages = Array.from(
    { length: Math.floor(good.length / newPageBytes) },
    (_, page): [typeof damage extends fc.Arbitrary<infer D> ? D : never] => [
      { what: 'zero', at: page * newPageBytes + 119, length: newPageBytes, by: 1 },
    ],
  );
  await fc.assert(
    fc.asyncProperty(damage, async ({ what, at, length, by }) => {
      rmSync(`${copy}-wal`, { force: true });
      const bytes = Buffer.from(good);
      for (let n = at; n < Math.min(at + length, bytes.length); n++)
        bytes[n] = what === 'flip' ? bytes[n]! ^ by : 0;
      writeFileSync(copy, bytes);
      if (what === 'cut') truncateSync(copy, at);
      let store: Store<Kinds> | undefined;
      try {
        store = open(undefined, copy);
        const shown = all(store);
        if (store.isDamaged) {
          expect(store.problem).toContain('copy.db is damaged: row ');
          await expect(put(store, 'rex', 9)).rejects.toThrow('copy.db is damaged: row ');
          results.readOnly++;
          return;
        }
        // An empty file is a new database.
        if (what !== 'cut' || at > 0) expect(shown).toBe(expected);
        results.unharmed++;
      } catch (error) {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
        expect((error as Error).message).not.toContain('in use by another process');
        expect((error as Error).message).toMatch(
          /copy\.db|the value [0-9a-f]{64}|a value of \d+ bytes \(sha256/,
        );
        results.refused++;
      } finally {
        await store?.close();
      }
    }),
    { numRuns: runs(150), examples: [[inRow], ...some(pages, 20)] },
  );
  expect(results.refused).toBeGreaterThan(0);
  expect(results.readOnly).toBeGreaterThan(0);
}, 60_000);

test('a write-ahead log that is cut loses every change behind the cut completely, without an error', async () => {
  const store = open();
  for (let n = 1; n <= 20; n++) await put(store, 'rex', n);
  const log = join(folder, 'copy.db-wal');
  copyFileSync(path, join(folder, 'copy.db'));
  copyFileSync(`${path}-wal`, log);
  await store.close();
  truncateSync(log, Math.floor(readFileSync(log).length / 8));
  const cut = open(undefined, join(folder, 'copy.db'));
  expect(cut.read().in('m1').get('pet', 'rex')?.n ?? 0).toBe(cut.read().revision);
  await cut.close();
});
