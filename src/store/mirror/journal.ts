import type { HistoryEntry, HistoryQuery } from '../store.ts';
import type { Entry } from './entry-set.ts';

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

/** Where commits become durable, and what is known of the past. A store has one and is its only writer. */
export interface Journal {
  /** Calls `onEntry` for each document that there is; those of a kind should come in the order of their birth. */
  load(onEntry: (space: string, kind: string, entry: Entry) => void): { revision: number; seq: number };
  /** All of them durable, or none: then it throws. */
  append(commits: readonly JournalCommit[]): void | Promise<void>;
  /** The oldest revision whose state is known. */
  readonly horizon: number;
  /** Commits after `revision`, oldest first. */
  commitsAfter(revision: number): Iterable<JournalCommit>;
  /** `newest` is the row of the document that the query is about, when it is about one that is there. */
  history(query: HistoryQuery, newest: number | undefined): readonly HistoryEntry<object>[];
  close(): void;
}
