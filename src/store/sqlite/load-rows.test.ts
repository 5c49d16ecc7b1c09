/** Bytes that an opening reads: documents of the history and long ones are skipped. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LongValues } from '../mirror/long-values.ts';
import { entryReader, rowHeads } from './load-rows.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'grigri-load-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('row heads come in pages of thousands, newest first, with short documents only; a long document is read when its row is the newest', async () => {
  const path = join(folder, 'store.db');
  const store = openSqliteStore<{ pet: { n: number; tale: string } }>({
    path,
    indexes: {},
    now: () => 0,
    newUuid: () => '',
  });
  for (const n of [1, 2]) {
    await store.change((tx) => {
      for (let id = 0; id < 600; id++) tx.put('pet', `${id}`, { n, tale: 'x'.repeat(id % 2 ? 7000 : 100) });
    }, 'test');
  }
  await store.close();
  const db = new DatabaseSync(path, { readOnly: true });
  const pages = [...rowHeads(db)];
  expect(pages.map((page) => page.length)).toEqual([1000, 200]);
  const heads = pages.flat();
  expect(heads.map(({ text }) => text?.length)).toEqual(
    heads.map((_, n) => (n % 2 === 0 ? undefined : JSON.stringify({ n: 2, tale: 'x'.repeat(100) }).length)),
  );
  const read = entryReader(
    db,
    new LongValues(
      () => undefined,
      () => new Error('there is none'),
    ),
  );
  expect([heads[0], heads[1199]].map((head) => read(head!)[0]!.doc)).toEqual([
    { n: 2, tale: 'x'.repeat(7000) },
    { n: 1, tale: 'x'.repeat(100) },
  ]);
  db.close();
});
