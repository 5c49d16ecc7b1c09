import { JujuError } from '../../core/errors.ts';
import type { HeldFile } from '../held-file.ts';
import type { StoreReport } from '../report.ts';
import type { PastCommit } from '../store.ts';
import type { Entry } from './entry-set.ts';
import type { LongValues } from './long-values.ts';

export interface JournalChange {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
  /** Row of this change: after.seq, or a row of its own for a removal. */
  readonly seq: number;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

export interface JournalCommit {
  readonly revision: number;
  readonly at: string;
  readonly by: string;
  readonly changes: readonly JournalChange[];
}

/** A document before later changes. */
export type PastValue = Pick<JournalChange, 'space' | 'kind' | 'id' | 'before'>;

/** Durable storage of commits, and of what is known of the past. A store has one journal and is its only writer. */
export interface Journal {
  /** Calls `onEntry` for each existing document; those of a kind should come in the order of their birth. */
  load(onEntry: (space: string, kind: string, entry: Entry) => void): { revision: number; seq: number };
  /**
   * Values of the members that are kept apart (`Entry.long`): always those of live documents, and those that only the
   * history refers to while there is room. Reading is synchronous.
   */
  readonly values: LongValues;
  /** Makes all commits durable with their long values, or none. Errors: whatever kept them from being stored. */
  append(commits: readonly JournalCommit[]): void | Promise<void>;
  /** Problem found at opening because of which nothing can be written; absent = none. */
  readonly problem?: string | undefined;
  /** See Store.isDamaged; absent = false. */
  readonly isDamaged?: boolean;
  /** Explains an error of `append` to users, with what to do. */
  explain?(error: unknown): string;
  /** Reports what takes the space; absent = not supported. `pause` yields to other work. */
  report?(pause: () => Promise<void>): Promise<StoreReport>;
  /** See Store.holdFile; absent = not supported. */
  holdFile?(): HeldFile;
  /** The oldest revision whose state is known. */
  readonly horizon: number;
  /** Commits after `revision`, oldest first. */
  commitsAfter(revision: number): Iterable<JournalCommit>;
  /** Values at `revision` of the documents that have changed since, slice by slice. */
  valuesAt(revision: number): Iterable<readonly PastValue[]>;
  /**
   * Commits, newest first, that changed the space or the documents whose newest rows are given, with their changes.
   */
  past(query: {
    readonly space: string | undefined;
    readonly rows: readonly number[];
    readonly after: number;
    readonly upTo: number;
  }): Iterable<PastCommit<Record<string, object>>>;
  /** Newest row of a removed document; undefined when it is not known. */
  removalOf(space: string, kind: string, id: string): number | undefined;
  /** Removals of documents that the index's value found at that time, oldest first. */
  removed(
    space: string,
    kind: string,
    index: string,
    value: string,
  ): readonly { readonly id: string; readonly seq: number }[];
  /** The newest revision that is not later than `at` (RFC 3339, UTC), among those after the horizon. */
  revisionAt(at: string): number | undefined;
  /** Time of a revision; '' when it is not known. */
  timeOf(revision: number): string;
  close(): void;
}

/** Refuses what a journal does not do. Errors: `not supported`. */
export function cannot(what: string): never {
  throw new JujuError('not supported', `this store cannot ${what}`);
}
