import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sqliteCorrupt } from './store-problem.ts';

const ofNewest = 'WHERE revision = (SELECT max(revision) FROM revision)';

/**
 * The number of rows of table entry, kept with the newest revision: SQLite reads a page whose head counts too few rows
 * without an error.
 */
export class RowCount {
  readonly #set: StatementSync;
  #rows: number;

  constructor(db: DatabaseSync) {
    this.#set = db.prepare(`UPDATE revision SET rows = ? ${ofNewest}`);
    this.#rows = storedCount(db);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Writes the changed number within the transaction; it takes effect by `moved`, once that is durable. */
  write(rows: number): void {
    this.#set.run(rows);
  }

  moved(rows: number): void {
    this.#rows = rows;
  }

  /** Errors: a plain Error when another number of rows was read. */
  check(found: number): void {
    const errcode = sqliteCorrupt;
    if (found !== this.#rows) throw Object.assign(new Error(unlike(found, this.#rows)), { errcode });
  }
}

/** Says that another number of rows was read than is stored. A file of an older version has no such number. */
export function missingRows(db: DatabaseSync, found: number): string | undefined {
  if (!hasCount(db)) return undefined;
  const stored = storedCount(db);
  return stored === found ? undefined : unlike(found, stored);
}

export function setRowCount(db: DatabaseSync, rows: number): void {
  db.prepare(`UPDATE revision SET rows = ? ${ofNewest}`).run(rows);
}

/** Counts one row less, after it was taken out. */
export function countOneLess(db: DatabaseSync): void {
  if (hasCount(db)) setRowCount(db, storedCount(db) - 1);
}

function storedCount(db: DatabaseSync): number {
  return Number(db.prepare(`SELECT rows FROM revision ${ofNewest}`).get()?.['rows'] ?? 0);
}

function hasCount(db: DatabaseSync): boolean {
  const columns = db.prepare('PRAGMA table_info(revision)').all();
  return columns.some(({ name }) => name === 'rows');
}

function unlike(found: number, stored: number): string {
  return `table entry shows ${found} of its ${stored} rows`;
}
