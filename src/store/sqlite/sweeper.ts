import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { forgotten, holds } from './packs.ts';
import { packSum } from './rows.ts';

/** Where the history begins, and which older rows are still to be swept. */
interface Horizon {
  /** The oldest revision whose state is known. */
  readonly revision: number;
  /** Older rows that have not been swept. */
  readonly unswept: { readonly from: number; readonly to: number } | undefined;
}

/** Row of a removal that is forgotten. */
interface Forgotten {
  readonly seq: number;
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}

export interface Swept {
  readonly horizon: Horizon;
  readonly forgotten: readonly Forgotten[];
  /** Number of rows of table entry that were deleted. */
  readonly rows: number;
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
  readonly #olderInPacks: StatementSync;
  readonly #forgetInPack: StatementSync;
  readonly #deletePack: StatementSync;
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
      `DELETE FROM entry WHERE seq IN (SELECT prev FROM entry WHERE ${range} AND prev IS NOT NULL) AND pack IS NULL`,
    );
    this.#olderInPacks = db.prepare(
      `SELECT p.seq, p.pack, p.sum, p.seq - e.prev AS place FROM entry e JOIN entry p ON ${holds('p', 'e.prev')}
       WHERE e.seq >= ? AND e.seq < ? AND e.prev IS NOT NULL AND p.pack IS NOT NULL ORDER BY p.seq`,
    );
    this.#forgetInPack = db.prepare('UPDATE entry SET pack = ?, sum = ? WHERE seq = ?');
    this.#deletePack = db.prepare('DELETE FROM entry WHERE seq = ?');
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
  sweep(newest: number): Swept {
    let { revision, unswept } = this.#horizon;
    if (!unswept && newest - this.#revisionsKept - revision >= this.#step) {
      revision = newest - this.#revisionsKept;
      this.#moveHorizon.run(revision);
      unswept = this.#unsweptUpTo(revision);
    }
    if (!unswept) return { horizon: { revision, unswept }, forgotten: [], rows: 0 };
    const { from, to } = unswept;
    const end = Math.min(from + rowsOfSlice, to);
    const packs = this.#sweepPacks(from, end);
    const older = Number(this.#deleteOlder.run(from, end).changes);
    this.#deleteTopics.run(from, end);
    const forgotten = this.#deleteRemovals.all(from, end) as unknown as Forgotten[];
    const rows = packs + older + forgotten.length;
    if (end < to) return { horizon: { revision, unswept: { from: end, to } }, forgotten, rows };
    this.#deleteRevisions.run(revision);
    return { horizon: { revision, unswept: undefined }, forgotten, rows };
  }

  /**
   * Forgets documents in packs. The same range may come again, after a process that ended. Returns the number of packs
   * that were deleted.
   */
  #sweepPacks(from: number, end: number): number {
    let deleted = 0;
    const packs = new Map<
      number,
      { readonly pack: number; readonly sum: number; readonly places: number[] }
    >();
    for (const row of this.#olderInPacks.iterate(from, end)) {
      const { seq, pack, sum, place } = row as Record<string, number>;
      const known = packs.get(seq!);
      if (known) known.places.push(place!);
      else packs.set(seq!, { pack: pack!, sum: sum!, places: [place!] });
    }
    for (const [seq, { pack, sum, places }] of packs) {
      const left = forgotten(pack, places);
      if (left === undefined) deleted += Number(this.#deletePack.run(seq).changes);
      else this.#forgetInPack.run(left, packSum(sum, left, pack), seq);
    }
    return deleted;
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
