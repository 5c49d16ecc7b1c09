/**
 * Compares the embedded store with the disk: `node [--expose-gc] bench/store.ts [--quick]`. Measures one commit, group
 * commits, many documents in one change, and reopening. Exits 1 when a goal is missed.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { exitCode, pairs, report, type Verdict } from './floor.ts';

interface Kinds {
  readonly unit: {
    readonly name: string;
    readonly application: string;
    readonly n: number;
    readonly filler: string;
  };
}

const quick = process.argv.includes('--quick');
const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'grigri-bench-'));
const open = (name: string): Store<Kinds> =>
  openSqliteStore<Kinds>({
    path: join(folder, name),
    indexes: { unit: { application: (unit) => unit.application } },
    now: Date.now,
    newUuid: () => crypto.randomUUID(),
  });
/** Documents have about 600 bytes and are all different, because unchanged bytes would not be synced. */
let made = 0;
const newUnit = (id: string): Kinds['unit'] => ({
  name: id,
  application: `app${made % 100}`,
  n: ++made,
  filler: `${made}`.padEnd(540, 'x'),
});

const verdicts: Verdict[] = [];
try {
  await commits();
  await groups();
  await bulk(quick ? 2_000 : 20_000);
  await opening(quick ? 5_000 : 100_000);
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = exitCode(verdicts);

async function commits(): Promise<void> {
  const store = open('commits.db');
  const raw = openSync(join(folder, 'raw'), 'w');
  const page = Buffer.alloc(4096, 1);
  const product = async (): Promise<number> => {
    const start = performance.now();
    await store.change((tx) => tx.put('unit', 'u', newUnit('u')), 'bench');
    return (performance.now() - start) * 1000;
  };
  const floor = (): number => {
    page.writeUInt32LE(++made);
    const start = performance.now();
    writeSync(raw, page, 0, page.length, 0);
    fdatasyncSync(raw);
    return (performance.now() - start) * 1000;
  };
  verdicts.push(
    report(
      'one commit / one fdatasync',
      await pairs(floor, product, quick ? 100 : 2000),
      { atMost: 2.5 },
      'us',
    ),
  );
  closeSync(raw);
  await store.close();
}

async function groups(): Promise<void> {
  const store = open('groups.db');
  const change = (id: string): Promise<void> =>
    store.change((tx) => tx.put('unit', id, newUnit(id)), 'bench');
  const rounds = quick ? 5 : 40;
  const rate = async (size: number): Promise<number> => {
    const start = performance.now();
    for (let round = 0; round < rounds; round++) {
      await Promise.all(Array.from({ length: size }, (_, i) => change(`u${i}`)));
    }
    return (rounds * size * 1000) / (performance.now() - start);
  };
  const comparison = await pairs(
    () => rate(1),
    () => rate(64),
    quick ? 3 : 15,
  );
  verdicts.push(report('64 changes a turn / one', comparison, { atLeast: 8 }, 'changes/s'));
  await store.close();
}

async function bulk(n: number): Promise<void> {
  const store = open('bulk.db');
  const db = new DatabaseSync(join(folder, 'floor.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE doc (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID');
  const insert = db.prepare('INSERT INTO doc VALUES (?, ?)');
  let round = 0;
  const floor = (): void => {
    round++;
    db.exec('BEGIN');
    for (let i = 0; i < n; i++) insert.run(`model${round}/unit/u${i}`, JSON.stringify(newUnit(`u${i}`)));
    db.exec('COMMIT');
  };
  const product = async (): Promise<void> => {
    await store.change((root) => {
      const tx = root.in(`model${round}`);
      for (let i = 0; i < n; i++) tx.put('unit', `u${i}`, newUnit(`u${i}`));
    }, 'bench');
  };
  const goal = { atMost: 3 };
  verdicts.push(report(`${n} documents in one change / bulk insert`, await pairs(floor, product, 7), goal));
  db.close();
  await store.close();
}

async function opening(n: number): Promise<void> {
  const store = open('opening.db');
  for (let i = 0; i < n; i += 5000) {
    await store.change((tx) => {
      for (let j = i; j < Math.min(n, i + 5000); j++) tx.put('unit', `u${j}`, newUnit(`u${j}`));
    }, 'bench');
  }
  await store.close();
  const floor = (): void => {
    const db = new DatabaseSync(join(folder, 'opening.db'));
    for (const row of db.prepare('SELECT doc FROM entry').iterate()) JSON.parse(String(row['doc']));
    db.close();
  };
  const product = async (): Promise<void> => open('opening.db').close();
  verdicts.push(
    report(`open ${n} documents / scan and parse`, await pairs(floor, product, 5), { atMost: 3 }),
  );
  if (!globalThis.gc) return;
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const opened = open('opening.db');
  globalThis.gc();
  console.log(`heap per document of 600 B: ${Math.round((process.memoryUsage().heapUsed - before) / n)} B`);
  await opened.close();
}
