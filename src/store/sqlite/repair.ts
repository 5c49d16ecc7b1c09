import { copyFileSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { LongValues } from '../mirror/long-values.ts';
import type { StoreReport } from '../report.ts';
import { checkOlder, entryReader, rowHeads, type RowHead } from './load-rows.ts';
import { lostValue } from './lost-value.ts';
import { reportRows } from './report-rows.ts';
import { countOneLess, missingRows, setRowCount } from './row-count.ts';
import { checkRow, DamagedRow } from './rows.ts';
import { named } from './store-problem.ts';
import { defined } from '../../core/defined.ts';

/** A row that was removed by the repair. */
export interface Repair {
  /** The row's name, and what was wrong with it; or that rows are missing, and how many. */
  readonly row: string;
  /** Revision that the document went back to; absent = it is lost. */
  readonly revision?: number;
}

/**
 * Removes damaged rows from a database that nobody has open, so that each of their documents is what it was before,
 * or lost. `copy`: where the file is copied to first; nothing is changed when no row is damaged. Errors: a plain
 * Error with the file's name when more than rows is damaged.
 */
export function repairRows(path: string, copy: string): readonly Repair[] {
  return withDatabase(path, (db) => {
    const repairs: Repair[] = [];
    const begin = (): void => {
      if (repairs.length === 0) {
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        copyFileSync(path, copy);
      }
      db.exec('BEGIN IMMEDIATE');
    };
    for (;;) {
      const { damaged, rows } = damagedRows(db);
      const missing = missingRows(db, rows);
      if (missing !== undefined) {
        begin();
        setRowCount(db, rows);
        db.exec('COMMIT');
        repairs.push({ row: missing });
      }
      if (damaged.length === 0) return repairs;
      begin();
      for (const damage of damaged) takeOut(db, damage);
      db.exec('DELETE FROM value WHERE id NOT IN (SELECT value FROM value_ref)');
      db.exec('COMMIT');
      for (const { error, before } of damaged)
        repairs.push({
          row: error.message,
          ...defined({ revision: before && !before.isRemoval ? before.revision : undefined }),
        });
    }
  });
}

/**
 * Makes a database readable as repairRows would leave it, in a transaction that is never committed: the file is not
 * changed. Errors: as repairRows; node:sqlite's where the file may not be written to.
 */
export function hideDamaged(db: DatabaseSync): void {
  // Changed pages must stay in memory: SQLite would write them to the log when the cache is full.
  db.exec('PRAGMA cache_spill = OFF; BEGIN IMMEDIATE');
  for (let { damaged } = damagedRows(db); damaged.length > 0; { damaged } = damagedRows(db))
    for (const damage of damaged) takeOut(db, damage);
}

/** Reports on a database that nobody has open, and that may be full. Errors: as repairRows. */
export function reportFile(path: string): StoreReport {
  return withDatabase(path, (db) => reportRows(db));
}

function withDatabase<T>(path: string, fn: (db: DatabaseSync) => T): T {
  if (!existsSync(path)) throw new Error(`no store at ${path}`);
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON');
    return named(path, () => fn(db));
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message))
      throw new Error(`${path} is in use by another process`, { cause: error });
    throw error;
  } finally {
    db.close();
  }
}

interface Damage {
  readonly error: DamagedRow;
  /** Row that is the document's newest without the damaged one. */
  readonly before: RowHead | undefined;
}

/**
 * Damaged rows that keep a store from opening (newest rows of documents, and short older ones), and the number of all
 * rows.
 */
function damagedRows(db: DatabaseSync): { damaged: readonly Damage[]; rows: number } {
  const damaged: Damage[] = [];
  const look = (before: RowHead | undefined, check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof DamagedRow)) throw error;
      damaged.push({ error, before });
    }
  };
  const value = db.prepare('SELECT CAST(text AS TEXT) AS text FROM value WHERE hash = ?');
  const values = new LongValues(
    (hash) => value.get(hash)?.['text'] as string | undefined,
    (long, isOther) => lostValue(db, long, isOther),
  );
  const read = entryReader(db, values);
  const newest = new Map<string, { readonly row: RowHead; before: RowHead | undefined }>();
  /** Notes a row of a document; returns whether it has a newer one. */
  const note = (row: RowHead, id: string): boolean => {
    const key = `${row.space}\0${row.kind}\0${id}`;
    const newestRow = newest.get(key);
    if (newestRow) newestRow.before ??= row;
    else newest.set(key, { row, before: undefined });
    return newestRow !== undefined;
  };
  let count = 0;
  for (const rows of rowHeads(db)) {
    count += rows.length;
    for (const row of rows) {
      if (row.pack !== null) {
        look(undefined, () => {
          for (const { id } of read(row)) note(row, id);
        });
      } else if (note(row, row.id)) look(undefined, () => checkOlder(row));
    }
  }
  for (const { row, before } of newest.values()) {
    // Packs were read completely above.
    if (row.pack === null)
      look(before, () => (row.isRemoval ? checkRow(row, null) : readAll(row, read(row)[0]!.doc)));
  }
  return { damaged: damaged.sort((a, b) => a.error.row.seq - b.error.row.seq), rows: count };
}

/** Reads every member, including long ones. Errors: DamagedRow. */
function readAll(row: RowHead, doc: object): void {
  try {
    for (const member in doc) void doc[member as keyof typeof doc];
  } catch (error) {
    throw error instanceof DamagedRow ? error : new DamagedRow(row, (error as Error).message);
  }
}

function takeOut(db: DatabaseSync, { error, before }: Damage): void {
  const { seq } = error.row;
  db.prepare('DELETE FROM entry WHERE seq = ?').run(seq);
  countOneLess(db);
  db.prepare('DELETE FROM value_ref WHERE seq = ?').run(seq);
  if (before) db.prepare('UPDATE value_ref SET until = NULL WHERE seq = ?').run(before.seq);
}
