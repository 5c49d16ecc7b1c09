import type { DatabaseSync } from 'node:sqlite';
import { jsonBytes } from '../../core/json-bytes.ts';
import type { DocumentSize, KindSize, StoreReport } from '../report.ts';
import { hasPacks, unpack } from './packs.ts';

/** Rows that are read in one turn: some milliseconds. */
const rowsOfSlice = 2000;
const documentsTold = 20;

interface Known {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
  /** Newest row of the document, its bytes, and those of the older rows. */
  seq: number;
  isThere: boolean;
  live: number;
  history: number;
  changes: number;
}

/** Reports on all rows at once, for a file that nobody else waits for. */
export function reportRows(db: DatabaseSync): StoreReport {
  const usageByKey = new Map<string, Known>();
  for (const rows of slices(db)) for (const row of rows) addRow(usageByKey, row);
  return summary(db, [...usageByKey.values()]);
}

/** Reports in slices, one per turn: `pause` yields to other work. A change in between may be missed. */
export async function reportRowsInTurns(db: DatabaseSync, pause: () => Promise<void>): Promise<StoreReport> {
  const usageByKey = new Map<string, Known>();
  for (const rows of slices(db)) {
    for (const row of rows) addRow(usageByKey, row);
    await pause();
  }
  return summary(db, [...usageByKey.values()]);
}

function* slices(db: DatabaseSync): Iterable<readonly Row[]> {
  const hasValues = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'value_ref'`).get() !== undefined;
  const values = hasValues ? '(SELECT sum(size) FROM value_ref r WHERE r.seq = e.seq)' : '0';
  const packs = hasPacks(db) ? 'pack, iif(pack IS NULL, NULL, doc) AS text' : 'NULL AS pack, NULL AS text';
  const slice = db.prepare(
    `SELECT seq, space, kind, id, octet_length(doc) AS size, coalesce(${values}, 0) AS long, ${packs}
     FROM entry e WHERE seq > ? ORDER BY seq LIMIT ${rowsOfSlice}`,
  );
  for (let after = -1; ;) {
    const rows = slice.all(after) as unknown as Row[];
    yield rows.flatMap(rowsOf);
    if (rows.length < rowsOfSlice) return;
    after = rows.at(-1)!.seq;
  }
}

function summary(db: DatabaseSync, all: Known[]): StoreReport {
  const page = pragma(db, 'page_size');
  return {
    bytes: pragma(db, 'page_count') * page,
    free: pragma(db, 'freelist_count') * page,
    kinds: byKind(all),
    documents: all
      .sort(bySize)
      .slice(0, documentsTold)
      .map(({ space, kind, id, live, history }): DocumentSize => ({ space, kind, id, live, history })),
  };
}

/** Splits a row into one for each of its documents. */
function rowsOf(row: Row): Row[] {
  const { seq, pack, text } = row;
  if (pack === null || text === null) return [row];
  try {
    return unpack(text, { seq, pack }).map(({ id, doc }) => ({ ...row, id, size: jsonBytes(doc) }));
  } catch {
    // A damaged pack counts as one document.
    return [row];
  }
}

interface Row {
  readonly seq: number;
  readonly space: string;
  readonly kind: string;
  readonly id: string;
  readonly size: number | null;
  readonly long: number;
  /** See packs.ts; null = one document. */
  readonly pack: number | null;
  readonly text: string | null;
}

function addRow(usageByKey: Map<string, Known>, { seq, space, kind, id, size, long }: Row): void {
  const key = `${space}\0${kind}\0${id}`;
  let entry = usageByKey.get(key);
  if (entry) {
    entry.history += entry.live;
    entry.changes++;
  } else
    usageByKey.set(key, (entry = { space, kind, id, seq, isThere: false, live: 0, history: 0, changes: 0 }));
  entry.seq = seq;
  entry.isThere = size !== null;
  entry.live = (size ?? 0) + long;
}

function byKind(all: readonly Known[]): KindSize[] {
  const kinds = new Map<string, { -readonly [P in keyof KindSize]: KindSize[P] }>();
  for (const { space, kind, isThere, live, history, changes } of all) {
    const key = `${space}\0${kind}`;
    let sum = kinds.get(key);
    if (!sum) kinds.set(key, (sum = { space, kind, count: 0, live: 0, changes: 0, history: 0 }));
    if (isThere) sum.count++;
    sum.live += live;
    sum.changes += changes;
    sum.history += history;
  }
  return [...kinds.values()].sort(bySize);
}

function bySize(
  a: { readonly live: number; readonly history: number },
  b: { readonly live: number; readonly history: number },
): number {
  return b.live + b.history - a.live - a.history;
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
