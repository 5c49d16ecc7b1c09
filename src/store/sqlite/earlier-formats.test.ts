/** Databases that were written by earlier versions of the program (test/upgrades/make-formats.ts). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { schema } from './schema.ts';

const testing = join(import.meta.dirname, '../../testing/store');
const fixtures = join(testing, 'formats');

interface Kinds {
  readonly sequence: { readonly name: string; readonly next: number };
  readonly charm: { readonly url: string; readonly metadata: string };
  readonly access: { readonly user: string; readonly model: string; readonly access: string };
  readonly unit: { readonly name: string; readonly application: string; readonly life: string };
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-formats-'));
  path = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const fixture = (format: number): Buffer =>
  gunzipSync(readFileSync(join(fixtures, `format-${format}.db.gz`)));
const open = (): Store<Kinds> =>
  openSqliteStore<Kinds>({
    path,
    indexes: {
      access: { user: (doc) => doc.user, model: (doc) => doc.model },
      unit: { application: (doc) => doc.application },
    },
    findRemovedBy: { access: ['model'] },
    now: () => Date.UTC(2026, 1, 1),
    newUuid: () => '',
  });
const formatOf = (file: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare('PRAGMA user_version').get()?.['user_version'];
  } finally {
    db.close();
  }
};
/** Text of the long document, as the fixtures' writer makes it. */
const long = (letter: string): string => `${letter}é😀"`.repeat(4000);

/** Checks everything that the fixtures' writer has done. */
function check(store: Store<Kinds>): void {
  const now = store.read();
  expect(store.problem).toBeUndefined();
  expect(now.get('sequence', 'a')).toEqual({ name: 'a', next: 3 });
  expect(now.get('charm', 'c')).toEqual({ url: 'c', metadata: long('y') });
  expect([...now.list('access')]).toEqual([]);
  const units = [...now.in('m1').find('unit', 'application', 'a')];
  expect(units.map(({ name }) => name)).toEqual(
    Array.from({ length: 40 }, (_, n) => `a/${n}`).filter((name) => name !== 'a/8'),
  );
  expect(units.filter(({ life }) => life !== 'alive')).toEqual([
    { name: 'a/7', application: 'a', life: 'dying' },
  ]);
  const lives = [...store.past({ space: 'm1' })].map(({ changes, by }) => [by, [...changes(100)].length]);
  expect(lives).toEqual([
    ['test', 1],
    ['test', 1],
    ['test', 40],
  ]);
}

test('there is a database of every format', () => {
  const formats = readdirSync(fixtures).map((name) => Number(/^format-(\d+)\.db\.gz$/.exec(name)?.[1]));
  expect(formats.sort((a, b) => a - b)).toEqual(schema.map((_, n) => n + 1));
});

test.each(schema.map((_, n) => n + 1))(
  'a database of format %i is upgraded with its documents and history, and can be changed',
  async (format) => {
    writeFileSync(path, fixture(format), { mode: 0o600 });
    expect(formatOf(path)).toBe(format);
    let store = open();
    check(store);
    await store.change((tx) => tx.put('sequence', 'b', { name: 'b', next: 1 }), 'after');
    await store.close();
    expect(formatOf(path)).toBe(schema.length);
    store = open();
    check(store);
    expect(store.read().get('sequence', 'b')?.next).toBe(1);
    // Removals are found since format 2.
    expect(store.removed('', 'access', 'model', 'm1')).toEqual(format === 1 ? [] : ['bob m1']);
    await store.close();
    const copies = readdirSync(folder).filter((name) => name.includes('format'));
    expect(copies).toEqual(format === schema.length ? [] : [`store.db.format-${format}`]);
  },
);

test('the copy from before an upgrade is the database as it was, and replaces earlier copies', async () => {
  for (const format of [4, 6]) {
    writeFileSync(path, fixture(format), { mode: 0o600 });
    await open().close();
  }
  expect(readdirSync(folder).sort()).toEqual(['store.db', 'store.db.format-6']);
  const copy = `${path}.format-6`;
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(formatOf(copy)).toBe(6);
  writeFileSync(path, readFileSync(copy));
  const store = open();
  check(store);
  await store.close();
});

test('a database of a later format is refused with the way back, and left as it is', async () => {
  writeFileSync(path, fixture(6), { mode: 0o600 });
  await open().close();
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA user_version = ${schema.length + 1}`);
  db.close();
  const before = readFileSync(path);
  const words = `${path} was written by a newer version (format ${schema.length + 1}, and this program knows up to ${schema.length}): start that version`;
  expect(open).toThrow(
    `${words}, or put ${path}.format-6, from before the upgrade, in its place, without all that was done since`,
  );
  rmSync(`${path}.format-6`);
  expect(open).toThrow(words);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a copy that cannot be finished leaves nothing behind, and the database as it was', () => {
  const [damaged, page] = [fixture(6), 4096];
  damaged.fill(255, 12 * page, 13 * page);
  writeFileSync(path, damaged, { mode: 0o600 });
  expect(open).toThrow();
  expect(readdirSync(folder).filter((name) => name.includes('format'))).toEqual([]);
  expect(formatOf(path)).toBe(6);
});

test('an upgrade that is killed leaves the database as it was, and the next one begins again', async () => {
  writeFileSync(path, fixture(3), { mode: 0o600 });
  // A copy that a kill has cut off is in the way.
  writeFileSync(`${path}.format-3.new`, 'cut off');
  const child = spawn(process.execPath, [join(testing, 'stuck-upgrade.ts'), path], { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const deadline = Date.now() + 30_000;
  while (!existsSync(`${path}.format-3`) && child.exitCode === null && Date.now() < deadline) await sleep(5);
  await sleep(100);
  expect(child.exitCode).toBeNull();
  child.kill('SIGKILL');
  await ended;
  expect(formatOf(`${path}.format-3`)).toBe(3);
  const store = open();
  check(store);
  await store.close();
  expect(readdirSync(folder).sort()).toEqual(['store.db', 'store.db.format-3']);
});
