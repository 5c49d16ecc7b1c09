import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { JournalChange } from '../mirror/journal.ts';
import { inlineJson } from '../mirror/long-values.ts';
import { arePack, documentsOfPack, packText } from './packs.ts';
import { longJson, rowSum } from './rows.ts';

/** Rows of a large change that one statement inserts: each call costs as much as several rows. */
const rowsAtOnce = 32;

const insert =
  'INSERT INTO entry (revision, space, seq, prev, born, kind, id, doc, sum, long, quiet, pack) VALUES';

/** Inserts rows into the table `entry`. */
export class RowWriter {
  readonly #insertOne: StatementSync;
  readonly #alike: StatementSync;
  readonly #insertPack: StatementSync;
  readonly #ofPack: number;

  constructor(db: DatabaseSync, ofPack = documentsOfPack) {
    this.#ofPack = ofPack;
    this.#insertOne = db.prepare(`${insert} (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`);
    const rows = Array.from(
      { length: rowsAtOnce },
      (_, n) => `(?1, ?2, ?3 + ${n}, ?, ?, ?, ?, ?, ?, NULL, 0, NULL)`,
    );
    this.#alike = db.prepare(`${insert} ${rows.join(', ')}`);
    this.#insertPack = db.prepare(`${insert} (?, ?, ?, NULL, ?, ?, '', ?, ?, NULL, 0, ?)`);
  }

  /**
   * Writes one change. `prevOf`: the row that the change's row replaces. `isQuiet`: see SqliteStoreOptions.quiet.
   * Returns the number of rows.
   */
  write(
    revision: number,
    changes: readonly JournalChange[],
    prevOf: (change: JournalChange) => number | null,
    isQuiet: (change: JournalChange) => boolean,
  ): number {
    const mayPack = (change: JournalChange): boolean => !isQuiet(change) && prevOf(change) === null;
    let packs = 0;
    for (let from = 0; from < changes.length;) {
      if (arePack(changes, from, this.#ofPack, mayPack)) {
        this.#writePack(revision, changes, from);
        from += this.#ofPack;
        packs++;
        continue;
      }
      const isAll = from === 0 && changes.length <= rowsAtOnce;
      const batch = isAll ? changes : changes.slice(from, from + rowsAtOnce);
      from += batch.length;
      if (batch.length === rowsAtOnce && areAlike(batch, isQuiet))
        this.#writeAlike(revision, batch, batch.map(prevOf));
      else for (const change of batch) this.#writeOne(revision, change, prevOf(change), isQuiet(change));
    }
    return changes.length - packs * (this.#ofPack - 1);
  }

  #writeOne(revision: number, change: JournalChange, prev: number | null, isQuiet: boolean): void {
    const { seq, after, space, kind, id } = change;
    const born = after?.born ?? seq;
    const doc = after ? inlineJson(after) : null;
    const long = after?.long ? longJson(after.long) : null;
    const sum = rowSum({ seq, revision, born, space, kind, id, long, pack: null }, doc);
    this.#insertOne.run(revision, space, seq, prev, born, kind, id, doc, sum, long, isQuiet ? 1 : 0);
  }

  /** Each bound value costs time: columns that all rows share come first or last, and are bound once. */
  #writeAlike(revision: number, changes: readonly JournalChange[], prevs: readonly (number | null)[]): void {
    const { space, seq: first } = changes[0]!;
    const values: (string | number | null)[] = [revision, space, first];
    changes.forEach(({ seq, after, kind, id }, n) => {
      const born = after?.born ?? seq;
      const doc = after ? inlineJson(after) : null;
      const sum = rowSum({ seq, revision, born, space, kind, id, long: null, pack: null }, doc);
      values.push(prevs[n]!, born, kind, id, doc, sum);
    });
    this.#alike.run(...values);
  }

  #writePack(revision: number, changes: readonly JournalChange[], from: number): void {
    const { space, kind, seq: born } = changes[from]!;
    const seq = born + this.#ofPack - 1;
    const pack = this.#ofPack;
    const doc = packText(changes, from, this.#ofPack);
    const sum = rowSum({ seq, revision, born, space, kind, id: '', long: null, pack }, doc);
    this.#insertPack.run(revision, space, seq, born, kind, doc, sum, pack);
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
