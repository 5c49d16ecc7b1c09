import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Where the history begins, and which older rows are still to be swept. */
export interface Horizon {
  /** The oldest revision whose state is known. */
  readonly revision: number;
  /** Older rows that have not been swept. */
  readonly unswept: { readonly from: number; readonly to: number } | undefined;
}

/** Row of a removal that is forgotten. */
export interface Forgotten {
  readonly seq: number;
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}

/** Rows that are swept in one commit: some milliseconds. */
const rowsOfSlice = 1000;

/**
 * Deletes values that were replaced before the history begins. It starts when there are many such revisions, and then
 * sweeps a slice with each commit, since one revision may have changed any number of documents. The revisions are
 * deleted last, so that a process that ended before finds them and begins anew.
 */
export class Sweeper {
  readonly #revisionsKept: number;
  readonly #step: number;
  readonly #firstSeqAfter: StatementSync;
  readonly #oldest: StatementSync;
  readonly #moveHorizon: StatementSync;
  readonly #deleteOlder: StatementSync;
  readonly #deleteTopics: StatementSync;
  readonly #deleteRemovals: StatementSync;
  readonly #deleteRevisions: StatementSync;
  #horizon: Horizon;

  constructor(db: DatabaseSync, revisionsKept: number) {
    this.#revisionsKept = revisionsKept;
    this.#step = Math.min(1000, Math.ceil(revisionsKept / 10));
    this.#firstSeqAfter = db.prepare(
      'SELECT first_seq AS seq FROM revision WHERE revision > ? ORDER BY revision LIMIT 1',
    );
    this.#oldest = db.prepare(
      'SELECT first_seq AS seq FROM revision WHERE revision <= ? ORDER BY revision LIMIT 1',
    );
    this.#moveHorizon = db.prepare('UPDATE horizon SET revision = ?');
    const range = 'seq >= ? AND seq < ?';
    this.#deleteOlder = db.prepare(
      `DELETE FROM entry WHERE seq IN (SELECT prev FROM entry WHERE ${range} AND prev IS NOT NULL)`,
    );
    this.#deleteTopics = db.prepare(`DELETE FROM removed WHERE ${range}`);
    this.#deleteRemovals = db.prepare(
      `DELETE FROM entry WHERE ${range} AND doc IS NULL RETURNING seq, space, kind, id`,
    );
    this.#deleteRevisions = db.prepare('DELETE FROM revision WHERE revision <= ?');
    const revision = db.prepare('SELECT revision FROM horizon').get()?.['revision'];
    if (typeof revision !== 'number')
      throw new Error(
        `${db.location()} is damaged: table horizon says nothing. Restore a copy of the folder`,
      );
    this.#horizon = { revision, unswept: this.#unsweptUpTo(revision) };
  }

  get horizon(): number {
    return this.#horizon.revision;
  }

  /** The first row after the revision; undefined when that is the newest. */
  firstAfter(revision: number): number | undefined {
    return this.#firstSeqAfter.get(revision)?.['seq'] as number | undefined;
  }

  /**
   * Sweeps within the transaction that makes the revision `newest`. The result takes effect by `moved`, once it is
   * durable.
   */
  sweep(newest: number): { horizon: Horizon; forgotten: readonly Forgotten[] } {
    let { revision, unswept } = this.#horizon;
    if (!unswept && newest - this.#revisionsKept - revision >= this.#step) {
      revision = newest - this.#revisionsKept;
      this.#moveHorizon.run(revision);
      unswept = this.#unsweptUpTo(revision);
    }
    if (!unswept) return { horizon: { revision, unswept }, forgotten: [] };
    const { from, to } = unswept;
    const end = Math.min(from + rowsOfSlice, to);
    this.#deleteOlder.run(from, end);
    this.#deleteTopics.run(from, end);
    const forgotten = this.#deleteRemovals.all(from, end) as unknown as Forgotten[];
    if (end < to) return { horizon: { revision, unswept: { from: end, to } }, forgotten };
    this.#deleteRevisions.run(revision);
    return { horizon: { revision, unswept: undefined }, forgotten };
  }

  moved(horizon: Horizon): void {
    this.#horizon = horizon;
  }

  #unsweptUpTo(revision: number): { from: number; to: number } | undefined {
    const from = this.#oldest.get(revision)?.['seq'] as number | undefined;
    const to = this.firstAfter(revision);
    return from === undefined || to === undefined ? undefined : { from, to };
  }
}
