import type { StoreReport } from '../report.ts';
import type { PastCommit } from '../store.ts';
import type { Entry } from './entry-set.ts';
import type { LongValues } from './long-values.ts';

export interface JournalChange {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
  /** The row of this change: after.seq, or the removal's own. */
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

/** A document as it was before others changed it. */
export type PastValue = Pick<JournalChange, 'space' | 'kind' | 'id' | 'before'>;

/** Where commits become durable, and what is known of the past. A store has one and is its only writer. */
export interface Journal {
  /** Calls `onEntry` for each document that there is; those of a kind should come in the order of their birth. */
  load(onEntry: (space: string, kind: string, entry: Entry) => void): { revision: number; seq: number };
  /**
   * What members of documents are read from that are kept apart (`Entry.long`): those of live documents always, those
   * that only the history refers to for as long as there is room. Reading is synchronous.
   */
  readonly values: LongValues;
  /** All of them durable with their long values, or none: then it throws. */
  append(commits: readonly JournalCommit[]): void | Promise<void>;
  /** Why nothing could be written when it was opened; absent = it could. */
  readonly problem?: string | undefined;
  /** As Store.isDamaged; absent = it was not. */
  readonly isDamaged?: boolean;
  /** What an error of `append` means to people, with what to do. */
  explain?(error: unknown): string;
  /** What takes the space; absent = that is not known. `pause` lets others go on. */
  report?(pause: () => Promise<void>): Promise<StoreReport>;
  /** The oldest revision whose state is known. */
  readonly horizon: number;
  /** Commits after `revision`, oldest first. */
  commitsAfter(revision: number): Iterable<JournalCommit>;
  /** Slice by slice, what documents were at `revision` that have changed since, up to now. */
  valuesAt(revision: number): Iterable<readonly PastValue[]>;
  /**
   * Newest first: the commits that changed the space, or the documents whose newest rows are given, with what they
   * did to them.
   */
  past(query: {
    readonly space: string | undefined;
    readonly rows: readonly number[];
    readonly after: number;
    readonly upTo: number;
  }): Iterable<PastCommit<Record<string, object>>>;
  /** The newest row of a document that is not there any more. */
  removalOf(space: string, kind: string, id: string): number | undefined;
  /** Each removal of documents that the index's value found then, oldest first. */
  removed(
    space: string,
    kind: string,
    index: string,
    value: string,
  ): readonly { readonly id: string; readonly seq: number }[];
  /** The newest revision that is not later than `at` (RFC 3339, UTC), among those after the horizon. */
  revisionAt(at: string): number | undefined;
  /** When a revision was; '' when it is not known. */
  timeOf(revision: number): string;
  close(): void;
}
