import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { JournalChange } from '../mirror/journal.ts';
import { inlineJson } from '../mirror/long-values.ts';
import { longJson, rowSum } from './rows.ts';

/** Rows of a large change that one statement inserts: each call costs as much as several rows. */
const rowsAtOnce = 32;

const insert = 'INSERT INTO entry (revision, space, seq, prev, born, kind, id, doc, sum, long, quiet) VALUES';

/** Inserts rows into the table `entry`. */
export class RowWriter {
  readonly #insertOne: StatementSync;
  readonly #alike: StatementSync;
  readonly #insertNew: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insertOne = db.prepare(`${insert} (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const many = (row: (seq: string) => string): StatementSync =>
      db.prepare(`${insert} ${Array.from({ length: rowsAtOnce }, (_, n) => row(`?3 + ${n}`)).join(', ')}`);
    this.#alike = many((seq) => `(?1, ?2, ${seq}, ?, ?, ?, ?, ?, ?, NULL, 0)`);
    this.#insertNew = many((seq) => `(?1, ?2, ${seq}, NULL, ${seq}, ?, ?, ?, ?, NULL, 0)`);
  }

  /** Writes one change. `prevOf`: the row that the change's row replaces. `isQuiet`: see SqliteStoreOptions.quiet. */
  write(
    revision: number,
    changes: readonly JournalChange[],
    prevOf: (change: JournalChange) => number | null,
    isQuiet: (change: JournalChange) => boolean,
  ): void {
    for (let from = 0; from < changes.length; from += rowsAtOnce) {
      const batch = changes.length <= rowsAtOnce ? changes : changes.slice(from, from + rowsAtOnce);
      if (batch.length === rowsAtOnce && areAlike(batch, isQuiet))
        this.#writeAlike(revision, batch, batch.map(prevOf));
      else for (const change of batch) this.#writeOne(revision, change, prevOf(change), isQuiet(change));
    }
  }

  #writeOne(revision: number, change: JournalChange, prev: number | null, isQuiet: boolean): void {
    const { seq, after, space, kind, id } = change;
    const born = after?.born ?? seq;
    const doc = after ? inlineJson(after) : null;
    const long = after?.long ? longJson(after.long) : null;
    const sum = rowSum({ seq, revision, born, space, kind, id, long }, doc);
    this.#insertOne.run(revision, space, seq, prev, born, kind, id, doc, sum, long, isQuiet ? 1 : 0);
  }

  /** Each bound value costs time: columns that all rows share come first or last, and are bound once. */
  #writeAlike(revision: number, changes: readonly JournalChange[], prevs: readonly (number | null)[]): void {
    const { space, seq: first } = changes[0]!;
    const values: (string | number | null)[] = [revision, space, first];
    // What replaces nothing is born by its row.
    const areNew = prevs.every((prev) => prev === null);
    changes.forEach(({ seq, after, kind, id }, n) => {
      const born = after?.born ?? seq;
      const doc = after ? inlineJson(after) : null;
      const sum = rowSum({ seq, revision, born, space, kind, id, long: null }, doc);
      if (!areNew) values.push(prevs[n]!, born);
      values.push(kind, id, doc, sum);
    });
    (areNew ? this.#insertNew : this.#alike).run(...values);
  }
}

/** Whether the changes are consecutive in one space, without long values, and none of them quiet. */
function areAlike(changes: readonly JournalChange[], isQuiet: (change: JournalChange) => boolean): boolean {
  const { space, seq: first } = changes[0]!;
  return changes.every(
    (change, n) =>
      change.space === space && change.seq === first + n && !change.after?.long && !isQuiet(change),
  );
}
