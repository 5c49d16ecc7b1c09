import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isThorough } from '../../testing/thorough.ts';
import type { Store } from '../store.ts';
import type { PairKinds } from '../../testing/store/crash-child.ts';
import { newPageBytes } from './open-database.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'grigri-crash-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const open = (path: string): Store<PairKinds> =>
  openSqliteStore<PairKinds>({
    path,
    indexes: {},
    now: () => 0,
    newUuid: () => '',
    retention: { revisions: 200 },
  });

const kills = isThorough ? 20 : 2;
const logEnds = isThorough ? 40 : 20;

test('a store that is killed at any moment loses no acknowledged change and shows no partial one', async () => {
  const path = join(folder, 'store.db');
  const acknowledged = new Map<string, number>();
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../testing/store/crash-child.ts'), path],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let output = '';
    let lines = 0;
    // The number is random and counts acknowledgements, so that a slow machine gets as far as a fast one.
    const linesMax = 1 + Math.floor(Math.random() * 1500);
    const closed = once(child, 'close');
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      lines += text.split('\n').length - 1;
      if (lines >= linesMax) child.kill('SIGKILL');
    });
    await closed;
    expect(child.signalCode).toBe('SIGKILL');
    for (const line of output.split('\n').slice(0, -1)) {
      const [pair = '', n] = line.split(' ');
      acknowledged.set(pair, Number(n));
    }
    const store = open(path);
    for (const [pair, n] of acknowledged) {
      const left = store.read().get('left', pair);
      expect(left?.n).toBeGreaterThanOrEqual(n);
      expect(left?.filler.length).toBe(((left?.n ?? 0) * 997) % 9000);
    }
    for (const pair of '01234567') {
      expect(store.read().get('right', pair)?.n).toBe(store.read().get('left', pair)?.n);
    }
    const [newest] = store.past({ space: '' });
    expect([newest?.revision, newest?.total]).toEqual([store.read().revision, 2]);
    await store.close();
  }
}, 60_000);

test('a store that is killed while a checkpoint extends the database file has everything that was stored', async () => {
  const path = join(folder, 'store.db');
  const store = open(path);
  for (let n = 1; n <= 3; n++)
    await store.change((tx) => {
      for (let pair = 0; pair < 50; pair++)
        tx.put('left', `${n}-${pair}`, { n, filler: `${pair}`.padEnd(900, 'x') });
    }, 'test');
  const copy = join(folder, 'copy.db');
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
  await store.close();
  // SQLite writes the pages in order; this copy was killed after the first ones.
  const [moved, before] = [readFileSync(path), readFileSync(copy)];
  for (const bytes of [newPageBytes, 5 * newPageBytes]) {
    writeFileSync(
      copy,
      Buffer.concat([moved.subarray(0, bytes), before.subarray(bytes)]).subarray(
        0,
        Math.max(bytes, before.length),
      ),
    );
    expect(readFileSync(copy).length).toBeLessThan(moved.readUInt32BE(28) * newPageBytes);
    const kept = readFileSync(`${copy}-wal`);
    const reopened = open(copy);
    expect([...reopened.read().list('left')]).toHaveLength(150);
    await reopened.close();
    writeFileSync(`${copy}-wal`, kept);
  }
  // Without its log the file is truncated.
  writeFileSync(copy, moved.subarray(0, 5 * newPageBytes));
  rmSync(`${copy}-wal`);
  expect(() => open(copy)).toThrow(`copy.db is damaged: it is cut off after ${5 * newPageBytes} bytes`);
});

test('a write-ahead log that is cut or garbled anywhere gives exactly the changes that were complete before that point', async () => {
  const path = join(folder, 'store.db');
  const store = open(path);
  // Sequential changes: each is one commit in the log.
  for (let n = 1; n <= 40; n++) {
    await store.change((tx) => {
      tx.put('left', 'p', { n, filler: 'y'.repeat((n * 997) % 9000) });
      tx.put('right', 'p', { n });
    }, 'test');
  }
  const files = join(folder, 'copy');
  mkdirSync(files);
  copyFileSync(path, join(files, 'store.db'));
  const log = readFileSync(`${path}-wal`);
  await store.close();

  const ends = commitEnds(log);
  // The log begins with the commits that created the tables.
  const made = ends.length - 40;
  expect(made).toBeGreaterThanOrEqual(0);
  const last = ends.at(-1) ?? 0;
  const places = [0, 31, 32, last - 1, last, ...ends.slice(0, made + 5)];
  expect(places.length).toBeLessThan(logEnds);
  while (places.length < logEnds) places.push(Math.floor(Math.random() * last));
  for (const [i, place] of places.entries()) {
    const damaged = Buffer.from(log);
    const cut = i % 2 === 0;
    // A garbled log has other bytes from there on, as after a power loss before the last fsync.
    if (!cut)
      for (let at = place; at < last; at++) damaged[at] = (damaged[at] ?? 0) ^ (1 + ((at * 31) % 255));
    const copy = join(folder, `damaged-${i}`);
    mkdirSync(copy);
    copyFileSync(join(files, 'store.db'), join(copy, 'store.db'));
    writeFileSync(join(copy, 'store.db-wal'), cut ? damaged.subarray(0, place) : damaged);
    const recovered = open(join(copy, 'store.db'));
    const whole = Math.max(0, ends.filter((end) => end <= place).length - made);
    expect([place, recovered.read().revision]).toEqual([place, whole]);
    expect(recovered.read().get('left', 'p')?.n).toBe(whole || undefined);
    expect(recovered.read().get('right', 'p')?.n).toBe(whole || undefined);
    await recovered.close();
    rmSync(copy, { recursive: true });
  }
}, 60_000);

test('a second process cannot open the store while the first has it open, and can after a crash of the first', async () => {
  const path = join(folder, 'store.db');
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../testing/store/crash-child.ts'), path],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  expect(() => open(path)).toThrow('is in use by another process');
  child.stdout.resume();
  child.kill('SIGKILL');
  await closed;
  await open(path).close();
}, 60_000);

/** Offsets at which the commits of SQLite's write-ahead log end (sqlite.org/fileformat2.html §4.1). */
function commitEnds(log: Buffer): number[] {
  const frame = 24 + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  const ends: number[] = [];
  for (let at = 32; at + frame <= log.length && log.subarray(at + 8, at + 16).equals(salt); at += frame) {
    if (log.readUInt32BE(at + 4) > 0) ends.push(at + frame);
  }
  return ends;
}
