import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Journal } from '../mirror/journal.ts';
import { NumberHeap } from '../mirror/number-heap.ts';
import type { Change, PastCommit } from '../store.ts';
import type { LongValues } from '../mirror/long-values.ts';
import { holds, unpack } from './packs.ts';
import { asChanges, previous, withPrevious } from './rows.ts';
import type { Quiet } from './quiet-rows.ts';
import type { SpaceRevisions } from './space-revisions.ts';

type Documents = Record<string, object>;

/**
 * Walks back in time through the revisions of a space and the rows of documents, each of which links to the previous
 * one. The cost depends on what is taken and not on what else there is.
 */
export class PastCommits {
  readonly #spaces: SpaceRevisions;
  readonly #quiet: Quiet;
  readonly #values: LongValues;
  readonly #horizon: () => number;
  readonly #revision: StatementSync;
  readonly #link: StatementSync;
  readonly #doc: StatementSync;
  readonly #row: StatementSync;
  readonly #rowsOfSpace: StatementSync;

  constructor(
    db: DatabaseSync,
    spaces: SpaceRevisions,
    quiet: Quiet,
    horizon: () => number,
    values: LongValues,
  ) {
    this.#values = values;
    this.#spaces = spaces;
    this.#quiet = quiet;
    this.#horizon = horizon;
    this.#revision = db.prepare('SELECT first_seq, at, by FROM revision WHERE revision = ?');
    this.#link = db.prepare(
      `SELECT ?1 AS seq, revision, prev, iif(pack IS NULL, born, ?1) AS born, kind FROM entry e WHERE ${holds('e', '?1')}`,
    );
    this.#doc = db.prepare(`SELECT seq, doc, pack FROM entry e WHERE ${holds('e', '?1')}`);
    const rows = `SELECT ${withPrevious} FROM entry e ${previous}`;
    this.#row = db.prepare(`${rows} WHERE ${holds('e', '?1')}`);
    this.#rowsOfSpace = db.prepare(
      `${rows} WHERE e.seq >= ? AND e.revision = ? AND e.space = ? ORDER BY e.seq LIMIT ?`,
    );
  }

  *find({ space, rows, after, upTo }: Parameters<Journal['past']>[0]): Iterable<PastCommit<Documents>> {
    const heap = new NumberHeap(rows);
    for (let last = upTo; ;) {
      const documents = this.#newestRows(heap, last);
      const ofSpace = space === undefined ? undefined : this.#spaces.newest(space, last);
      const revision = Math.max(documents?.revision ?? 0, ofSpace?.revision ?? 0);
      const row = revision > Math.max(after, this.#horizon()) ? this.#revision.get(revision) : undefined;
      if (!row) return;
      const seqs = documents?.revision === revision ? this.#takeRows(heap, revision) : [];
      const count = ofSpace?.revision === revision ? ofSpace.count : 0;
      yield {
        revision,
        at: row['at'] as string,
        by: row['by'] as string,
        total: count + seqs.length,
        changes: (limit) => {
          const first = row['first_seq'] as number;
          const wanted = Math.min(limit, count);
          const ofSpace = wanted > 0 ? this.#rowsOfSpace.all(first, revision, space!, wanted) : [];
          const found = ofSpace.flatMap((stored) => asChanges(stored, this.#values)).slice(0, wanted);
          for (const seq of seqs.slice(0, limit - found.length)) {
            const stored = this.#row.get(seq);
            const changes = stored ? asChanges(stored, this.#values) : [];
            found.push(...changes.filter((change) => change.seq === seq));
          }
          return found.map(({ space, kind, id, before, after }) => ({
            space,
            kind,
            id,
            before: before?.doc,
            after: after?.doc,
          })) satisfies Change<Documents>[];
        },
      };
      last = revision - 1;
    }
  }

  /** Skips rows that are newer than `upTo`. */
  #newestRows(heap: NumberHeap, upTo: number): { revision: number } | undefined {
    for (;;) {
      const link = this.#newest(heap);
      if (!link || link.revision <= upTo) return link;
      heap.pop();
      if (link.prev) heap.push(link.prev);
    }
  }

  /** The rows of one revision, in their order; pushes the rows before them to the heap. */
  #takeRows(heap: NumberHeap, revision: number): number[] {
    const seqs: number[] = [];
    for (;;) {
      const link = this.#newest(heap);
      if (!link || link.revision < revision) return seqs.reverse();
      heap.pop();
      // A document may be queried twice.
      if (seqs.at(-1) === link.seq) continue;
      seqs.push(link.seq);
      if (link.prev) heap.push(link.prev);
    }
  }

  /** The newest row that is neither forgotten nor quiet. */
  #newest(heap: NumberHeap): Link | undefined {
    for (;;) {
      const seq = heap.largest;
      if (seq === undefined) return undefined;
      const link = this.#link.get(seq) as Link | undefined;
      if (link && !this.#isQuiet(link)) return link;
      heap.pop();
      if (link) heap.push(link.born);
    }
  }

  /**
   * Whether the document differs from its value at birth by quiet changes only. Such a row and all between the two
   * are skipped; so are they when the birth is forgotten, since finding out would walk the whole history.
   */
  #isQuiet({ seq, born, kind }: Link): boolean {
    const quiet = this.#quiet[kind];
    if (!quiet || seq === born) return false;
    const now = this.#docOf(seq);
    const first = this.#docOf(born);
    return now !== undefined && (first === undefined || quiet(first, now));
  }

  #docOf(seq: number): object | undefined {
    const {
      doc,
      pack,
      seq: last,
    } = (this.#doc.get(seq) ?? {}) as { seq: number; doc?: unknown; pack: number | null };
    if (typeof doc !== 'string') return undefined;
    if (pack === null) return JSON.parse(doc) as object;
    return unpack(doc, { seq: last, pack }).find((one) => one.seq === seq)?.doc;
  }
}

interface Link {
  readonly seq: number;
  readonly revision: number;
  readonly prev: number | null;
  /** Row that created the document. */
  readonly born: number;
  readonly kind: string;
}
