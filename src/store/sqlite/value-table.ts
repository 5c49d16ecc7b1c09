import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { LongMember } from '../mirror/long-values.ts';

/** Values that only the history refers to, in bytes, as many as are kept: 256 MiB. */
export const pastValuesMax = 256 * 1024 * 1024;
/** What may go in one commit even if nothing came: so that what is too much ends. */
const sweptAtLeast = 4 * 1024 * 1024;

/**
 * Long values, each once, and which rows refer to them: written and deleted in the transaction of the rows, so that
 * what is unused is what no row refers to, whenever the process ends. A reference is of the past (`until`: the row that
 * replaced its own) or of a live document. Those of the past go, oldest first, when their rows do or when they are
 * more than `pastMax`.
 */
export class ValueTable {
  readonly #pastMax: number;
  readonly #find: StatementSync;
  readonly #idOf: StatementSync;
  readonly #insert: StatementSync;
  readonly #refer: StatementSync;
  readonly #replace: StatementSync;
  readonly #forget: StatementSync;
  readonly #delete: StatementSync;
  readonly #oldest: StatementSync;
  readonly #sumPast: StatementSync;
  /** Of the past: references, and the bytes that they are of (a value that two refer to counts twice). */
  #past: Past;

  constructor(db: DatabaseSync, pastMax = pastValuesMax) {
    this.#pastMax = pastMax;
    // A wrong bit in a row's head may make of text a blob.
    this.#find = db.prepare('SELECT CAST(text AS TEXT) AS text FROM value WHERE hash = ?');
    this.#idOf = db.prepare('SELECT id FROM value WHERE hash = ?');
    this.#insert = db.prepare('INSERT INTO value (hash, size, text) VALUES (?, ?, ?) RETURNING id');
    this.#refer = db.prepare('INSERT INTO value_ref (seq, value, size, until) VALUES (?, ?, ?, ?)');
    this.#replace = db.prepare('UPDATE value_ref SET until = ? WHERE seq = ? AND value = ?');
    this.#forget = db.prepare('DELETE FROM value_ref WHERE seq = ? AND value = ?');
    this.#delete = db.prepare(
      'DELETE FROM value WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM value_ref WHERE value = ?1)',
    );
    this.#oldest = db.prepare(
      'SELECT seq, value, size, until FROM value_ref WHERE until < ? ORDER BY until LIMIT 1',
    );
    this.#sumPast = db.prepare(
      'SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM value_ref WHERE until IS NOT NULL',
    );
    this.#past = this.#sumPast.get() as unknown as Past;
  }

  find(hash: string): string | undefined {
    return this.#find.get(hash)?.['text'] as string | undefined;
  }

  get past(): Past {
    return this.#past;
  }

  /** After a transaction that failed. */
  reload(): void {
    this.#past = this.#sumPast.get() as unknown as Past;
  }

  /** One change of a document, in the transaction of its row. */
  change(seq: number, before: Entry | undefined, after: Entry | undefined): void {
    if (after?.long) this.refer(seq, after.long);
    if (before?.long) this.#pass(seq, before, after);
  }

  /** Stores those that are not there. `until`: the row that replaced the one which refers to them. */
  refer(seq: number, long: readonly LongMember[], until: number | null = null): void {
    for (const [hash, { size, text }] of new Map(long.map((one) => [one.hash, one]))) {
      const known = this.#idOf.get(hash)?.['id'];
      if (known === undefined && text === undefined) throw new Error(`the value ${hash} is gone`);
      const id = (known ?? this.#insert.get(hash, size, text!)!['id']) as number;
      this.#refer.run(seq, id, size, until);
      if (until !== null) this.#past = { count: this.#past.count + 1, bytes: this.#past.bytes + size };
    }
  }

  /** What the replaced document referred to is of the past, unless the new one has it, too. */
  #pass(seq: number, before: Entry, after: Entry | undefined): void {
    for (const [hash, { size }] of new Map(before.long!.map((one) => [one.hash, one]))) {
      const id = this.#idOf.get(hash)?.['id'] as number | undefined;
      if (id === undefined) continue;
      if (after?.long?.some((one) => one.hash === hash)) this.#forget.run(before.seq, id);
      else {
        this.#replace.run(seq, before.seq, id);
        this.#past = { count: this.#past.count + 1, bytes: this.#past.bytes + size };
      }
    }
  }

  /**
   * In each commit, some of what is too much.
   * @param horizon The first row of the history.
   * @param first The first row of this commit: what it replaced stays, for those who are told of it.
   */
  sweep(horizon: number, first: number): void {
    let { count, bytes } = this.#past;
    const enough = Math.max(sweptAtLeast, bytes - this.#pastMax);
    for (let swept = 0; count > 0 && swept < enough; count--) {
      const oldest = this.#oldest.get(bytes > this.#pastMax ? first : Math.min(first, horizon));
      if (!oldest) break;
      const { seq, value, size } = oldest as Record<string, number>;
      this.#forget.run(seq!, value!);
      this.#delete.run(value!);
      bytes -= size!;
      swept += size!;
    }
    this.#past = { count, bytes };
  }
}

interface Past {
  readonly count: number;
  readonly bytes: number;
}
