import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { JournalChange } from '../mirror/journal.ts';
import { inlineJson } from '../mirror/long-values.ts';
import { longJson, rowSum } from './rows.ts';

/** Rows of a large change that go in by one statement: each call costs as much as several rows. */
const rowsAtOnce = 32;

/** Each value that is bound costs: what many rows of a change have in common comes first or last, and is bound once. */
type NewRow = readonly [
  revision: number,
  space: string,
  seq: number,
  prev: number | null,
  born: number,
  kind: string,
  id: string,
  doc: string | null,
  sum: number,
  long: string | null,
  quiet: number,
];
const insert = 'INSERT INTO entry (revision, space, seq, prev, born, kind, id, doc, sum, long, quiet) VALUES';

/** Appends to the table `entry`. */
export class RowWriter {
  readonly #one: StatementSync;
  readonly #alike: StatementSync;

  constructor(db: DatabaseSync) {
    this.#one = db.prepare(`${insert} (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const rows = Array.from(
      { length: rowsAtOnce },
      (_, n) => `(?1, ?2, ?3 + ${n}, ?, ?, ?, ?, ?, ?, NULL, 0)`,
    );
    this.#alike = db.prepare(`${insert} ${rows.join(', ')}`);
  }

  /** `prevOf`: the row that the change's row replaces. `isQuiet`: does nobody ask the past for the change? */
  write(
    revision: number,
    changes: readonly JournalChange[],
    prevOf: (change: JournalChange) => number | null,
    isQuiet: (change: JournalChange) => boolean,
  ): void {
    let rows: NewRow[] = [];
    for (const change of changes) {
      rows.push(newRow(revision, change, prevOf(change), isQuiet(change)));
      if (rows.length < rowsAtOnce) continue;
      if (areAlike(rows)) this.#alike.run(...boundOnce(rows));
      else for (const row of rows) this.#one.run(...row);
      rows = [];
    }
    for (const row of rows) this.#one.run(...row);
  }
}

function newRow(
  revision: number,
  { seq, after, space, kind, id }: JournalChange,
  prev: number | null,
  isQuiet: boolean,
): NewRow {
  const doc = after ? inlineJson(after) : null;
  const long = after?.long ? longJson(after.long) : null;
  const born = after?.born ?? seq;
  const sum = rowSum({ seq, revision, born, space, kind, id, long }, doc);
  return [revision, space, seq, prev, born, kind, id, doc, sum, long, isQuiet ? 1 : 0];
}

/** Are they one after another in one space, without long values, and none of them quiet? */
function areAlike(rows: readonly NewRow[]): boolean {
  const [, space, first] = rows[0]!;
  return rows.every((row, n) => row[1] === space && row[2] === first + n && row[9] === null && row[10] === 0);
}

function boundOnce(rows: readonly NewRow[]): (string | number | null)[] {
  const values: (string | number | null)[] = rows[0]!.slice(0, 3);
  for (const row of rows) values.push(row[3], row[4], row[5], row[6], row[7], row[8]);
  return values;
}
