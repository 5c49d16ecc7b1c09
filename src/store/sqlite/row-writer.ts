import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { JournalChange } from '../mirror/journal.ts';
import { inlineJson } from '../mirror/long-values.ts';
import { longJson, rowSum } from './rows.ts';

/** Rows of a large change that go in by one statement: each call costs as much as several rows. */
const rowsAtOnce = 32;

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
    for (let from = 0; from < changes.length; from += rowsAtOnce) {
      const some = changes.length <= rowsAtOnce ? changes : changes.slice(from, from + rowsAtOnce);
      if (some.length === rowsAtOnce && areAlike(some, isQuiet)) this.#writeAlike(revision, some, prevOf);
      else for (const change of some) this.#writeOne(revision, change, prevOf(change), isQuiet(change));
    }
  }

  #writeOne(revision: number, change: JournalChange, prev: number | null, isQuiet: boolean): void {
    const { seq, after, space, kind, id } = change;
    const born = after?.born ?? seq;
    const doc = after ? inlineJson(after) : null;
    const long = after?.long ? longJson(after.long) : null;
    const sum = rowSum({ seq, revision, born, space, kind, id, long }, doc);
    this.#one.run(revision, space, seq, prev, born, kind, id, doc, sum, long, isQuiet ? 1 : 0);
  }

  /** Each value that is bound costs: what the rows have in common comes first or last, and is bound once. */
  #writeAlike(
    revision: number,
    changes: readonly JournalChange[],
    prevOf: (change: JournalChange) => number | null,
  ): void {
    const { space, seq: first } = changes[0]!;
    const values: (string | number | null)[] = [revision, space, first];
    for (const change of changes) {
      const { seq, after, kind, id } = change;
      const born = after?.born ?? seq;
      const doc = after ? inlineJson(after) : null;
      const sum = rowSum({ seq, revision, born, space, kind, id, long: null }, doc);
      values.push(prevOf(change), born, kind, id, doc, sum);
    }
    this.#alike.run(...values);
  }
}

/** Are they one after another in one space, without long values, and none of them quiet? */
function areAlike(changes: readonly JournalChange[], isQuiet: (change: JournalChange) => boolean): boolean {
  const { space, seq: first } = changes[0]!;
  return changes.every(
    (one, n) => one.space === space && one.seq === first + n && !one.after?.long && !isQuiet(one),
  );
}
