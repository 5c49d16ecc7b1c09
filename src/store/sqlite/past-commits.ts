import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Journal } from '../mirror/journal.ts';
import { NumberHeap } from '../mirror/number-heap.ts';
import type { Change, PastCommit } from '../store.ts';
import { asChange, type Row } from './rows.ts';
import type { SpaceRevisions } from './space-revisions.ts';

type Documents = Record<string, object>;

/**
 * Goes back in time: through the revisions of a space, and through the rows of documents, each of which knows the one
 * before it. So it costs what is taken, and not what else there was.
 */
export class PastCommits {
  readonly #spaces: SpaceRevisions;
  readonly #revision: StatementSync;
  readonly #link: StatementSync;
  readonly #row: StatementSync;
  readonly #rowsOfSpace: StatementSync;

  constructor(db: DatabaseSync, spaces: SpaceRevisions) {
    this.#spaces = spaces;
    this.#revision = db.prepare('SELECT first_seq, at, by FROM revision WHERE revision = ?');
    this.#link = db.prepare('SELECT revision, prev FROM entry WHERE seq = ?');
    const rows = `SELECT e.*, p.doc AS prev_doc, p.revision AS prev_revision, p.born AS prev_born
      FROM entry e LEFT JOIN entry p ON p.seq = e.prev`;
    this.#row = db.prepare(`${rows} WHERE e.seq = ?`);
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
      const row = revision > after ? this.#revision.get(revision) : undefined;
      if (!row) return;
      const seqs = documents?.revision === revision ? this.#take(heap, revision) : [];
      const count = ofSpace?.revision === revision ? ofSpace.count : 0;
      yield {
        revision,
        at: row['at'] as string,
        by: row['by'] as string,
        total: count + seqs.length,
        changes: (most) => {
          const first = row['first_seq'] as number;
          const found =
            count > 0 ? (this.#rowsOfSpace.all(first, revision, space!, Math.min(most, count)) as Row[]) : [];
          for (const seq of seqs.slice(0, most - found.length)) {
            const one = this.#row.get(seq);
            if (one) found.push(one);
          }
          return found.map(asChange).map(({ space, kind, id, before, after }) => ({
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

  /** Passes over rows that are newer than `upTo`. */
  #newestRows(heap: NumberHeap, upTo: number): { revision: number } | undefined {
    for (;;) {
      const seq = heap.largest;
      const link = seq === undefined ? undefined : this.#link.get(seq);
      const revision = link?.['revision'] as number | undefined;
      if (revision !== undefined && revision <= upTo) return { revision };
      if (heap.pop() === undefined) return undefined;
      const prev = link?.['prev'] as number | null | undefined;
      if (prev) heap.push(prev);
    }
  }

  /** The rows of one revision, in their order; those before them come next. */
  #take(heap: NumberHeap, revision: number): number[] {
    const seqs: number[] = [];
    for (;;) {
      const seq = heap.largest;
      const link = seq === undefined ? undefined : this.#link.get(seq);
      if (seq === undefined || (link && (link['revision'] as number) < revision)) return seqs.reverse();
      heap.pop();
      if (!link) continue;
      seqs.push(seq);
      const prev = link['prev'] as number | null;
      if (prev) heap.push(prev);
    }
  }
}
