import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { LongMember } from '../mirror/long-values.ts';

/** Default maximum of values that only the history refers to, in bytes: 256 MiB. */
export const pastValuesMax = 256 * 1024 * 1024;
/** Minimum bytes that one commit may delete even if it added nothing, so that an excess ends. */
const sweptAtLeast = 4 * 1024 * 1024;

/**
 * Long values, each stored once, and the rows that refer to them: written and deleted in the transaction of the rows,
 * so that unused values are those without a reference, whenever the process ends. A reference is of the past
 * (`until`: the row that replaced its own) or of a live document. Those of the past are deleted, oldest first, with
 * their rows or when they exceed `pastMax`.
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
  /** References of the past, and the bytes of their values (a value with two references counts twice). */
  #past: Past;

  constructor(db: DatabaseSync, pastMax = pastValuesMax) {
    this.#pastMax = pastMax;
    // The cast is needed because a flipped bit in a row's head may turn text into a blob.
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

  /** Reads the counts again after a transaction failed. */
  reload(): void {
    this.#past = this.#sumPast.get() as unknown as Past;
  }

  /** Applies one change of a document, in the transaction of its row. */
  change(seq: number, before: Entry | undefined, after: Entry | undefined): void {
    if (after?.long) this.refer(seq, after.long);
    if (before?.long) this.#moveToPast(seq, before, after);
  }

  /** Stores missing values and refers to them. `until`: the row that replaced the referring one. */
  refer(seq: number, long: readonly LongMember[], until: number | null = null): void {
    for (const [hash, { size, text }] of new Map(long.map((ref) => [ref.hash, ref]))) {
      const knownId = this.#idOf.get(hash)?.['id'];
      if (knownId === undefined && text === undefined) throw new Error(`the value ${hash} is gone`);
      const id = (knownId ?? this.#insert.get(hash, size, text!)!['id']) as number;
      this.#refer.run(seq, id, size, until);
      if (until !== null) this.#past = { count: this.#past.count + 1, bytes: this.#past.bytes + size };
    }
  }

  /** Moves references of the replaced document to the past, except those that the new one has too. */
  #moveToPast(seq: number, before: Entry, after: Entry | undefined): void {
    for (const [hash, { size }] of new Map(before.long!.map((ref) => [ref.hash, ref]))) {
      const id = this.#idOf.get(hash)?.['id'] as number | undefined;
      if (id === undefined) continue;
      if (after?.long?.some((ref) => ref.hash === hash)) this.#forget.run(before.seq, id);
      else {
        this.#replace.run(seq, before.seq, id);
        this.#past = { count: this.#past.count + 1, bytes: this.#past.bytes + size };
      }
    }
  }

  /**
   * Deletes part of the excess, in each commit. @param horizon The first row of the history. @param first The first
   * row of this commit: values that it replaced stay for its watchers.
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
