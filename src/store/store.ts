/**
 * The store: ordered documents with revisions, the meaning that etcd has, so that entities are written once. A document
 * is `(space, kind, id) → JSON`; a space is a model's uuid, or '' for the controller's own.
 *
 * Nothing here knows Juju's nouns: the kinds and their indexes are arguments.
 */

import type { StoreReport } from './report.ts';

/** Kind → document type. */
export type Kinds = { readonly [kind: string]: object } | object;
export type KindOf<K> = Extract<keyof K, string>;

/** Index → how a document is found by it. An index's value may be absent or several. */
export type Indexes<K> = {
  readonly [P in KindOf<K>]?: Readonly<Record<string, (doc: K[P]) => string | readonly string[] | undefined>>;
};

/** A document that a change is about to put. */
export interface Put<K, P extends KindOf<K> = KindOf<K>> {
  readonly space: string;
  readonly kind: P;
  readonly id: string;
  /** As it was given. */
  readonly doc: K[P];
  /** About how many characters its JSON has; exactly, but for escapes and long numbers. */
  readonly size: number;
  /** What it replaces, as the change sees it. */
  readonly before: K[P] | undefined;
  /** By how many bytes more (or less) the space's documents will count for: see Store.held. */
  readonly grows: number;
  /** What the space's documents count for, with the change's own writes so far. O(1). */
  readonly held: number;
  /** Are there `max` documents of the kind in this space under the index's value ('' = all), this one not counted? O(1). */
  readonly isFull: (index: string, value: string, max: number) => boolean;
  /** A document of the space ''. That it was looked at makes no conflict. */
  readonly peek: <C extends KindOf<K>>(kind: C, id: string) => K[C] | undefined;
}

/**
 * Asked about every document that is put, so that no writer forgets a limit. What it throws is thrown by `put`. It
 * must ask for little, and only through its argument.
 */
export type Admit<K> = (put: Put<K>) => void;

/**
 * A view of the documents, which are frozen. A member that makes its document longer than some KiB (charm state, output,
 * config text) is not in memory: looking at it reads it, synchronously. Looking at one of the past throws ValueGone when
 * it is not kept any more: the history has the newest long values only.
 * What a view shows depends on where it is from:
 * - `Store.read()`: the newest durable state at each call. Durable state changes only between turns of the event
 *   loop, so everything read without an await in between is of one revision; after an await it may be of a later one.
 * - `Store.change()`: one consistent snapshot with the change's own writes, across awaits too.
 * - `Store.at()`: the state at that revision, for as long as the history reaches back to it.
 * Lists are the caller's own: the store may change while one is gone through.
 */
export interface Reader<K> {
  readonly revision: number;
  readonly space: string;
  get<P extends KindOf<K>>(kind: P, id: string): K[P] | undefined;
  /** Revision of the document's last change; 0 when there is none. A change's own writes have no revision yet. */
  revisionOf(kind: KindOf<K>, id: string): number;
  /** Every document of a kind in this space, in the order of insertion. */
  list<P extends KindOf<K>>(kind: P): Iterable<K[P]>;
  /** Documents by a secondary index, in the order of insertion: costs what it returns. */
  find<P extends KindOf<K>>(kind: P, index: string, value: string): Iterable<K[P]>;
  /** How many documents of the kind there are, or of those under an index's value. O(1). */
  count(kind: KindOf<K>, index?: string, value?: string): number;
  /** The same view of another space. */
  in(space: string): Reader<K>;
  /** Spaces that hold any document. */
  spaces(): Iterable<string>;
}

/**
 * A change being made: reads see its own writes. It may be run again after a conflict, so time and new ids come
 * from here and `fn` has no other effect.
 */
export interface Transactor<K> extends Reader<K> {
  /** RFC 3339 with milliseconds, UTC; one instant for the whole change. */
  readonly now: string;
  newUuid(): string;
  /**
   * Takes `doc` over: it is frozen, with all that is in it, and must not be changed afterwards. Members that are
   * `undefined` are left out. Errors: TypeError for what is no JSON; those of the store's `Admit`.
   */
  put<P extends KindOf<K>>(kind: P, id: string, doc: K[P]): void;
  /** Removing what is not there does nothing. */
  remove(kind: KindOf<K>, id: string): void;
  in(space: string): Transactor<K>;
}

/** A change of one document; `before` or `after` is absent when there was, or is, none. */
export type Change<K> = {
  readonly [P in KindOf<K>]: {
    readonly space: string;
    readonly kind: P;
    readonly id: string;
    readonly before: K[P] | undefined;
    readonly after: K[P] | undefined;
  };
}[KindOf<K>];

/** All changes of one transaction. */
export interface Commit<K> {
  readonly revision: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** Who asked for it: a tag, or a worker's name. */
  readonly by: string;
  readonly changes: readonly Change<K>[];
}

/** Which past changes: those in a space, those of some documents, or both. */
export interface PastQuery {
  readonly space?: string;
  readonly documents?: Iterable<DocumentKey>;
  /** Documents by an index's value: those that are there, and those that were when they were removed. */
  readonly found?: Iterable<IndexKey>;
  /** Only revisions above / at most. */
  readonly after?: number;
  readonly upTo?: number;
}
export interface DocumentKey {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}

/** The index is one by which `removed` finds. */
export interface IndexKey {
  readonly space: string;
  readonly kind: string;
  readonly index: string;
  readonly value: string;
}

/** A commit as far as a query is about it. */
export interface PastCommit<K> {
  readonly revision: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly by: string;
  /** How many changes. */
  readonly total: number;
  /** The first of them, in the order of the transaction. To be read while the history reaches back to it. */
  readonly changes: (most: number) => readonly Change<K>[];
}

export interface Store<K> {
  /** The newest durable state. Synchronous: it reads the in-memory mirror, and never sees what is not durable. */
  read(): Reader<K>;

  /**
   * Runs `fn` (at once, in the space '') on a consistent snapshot and commits what it staged; resolves when that is durable. What was read
   * (documents, index values, whole kinds) must be unchanged at the commit, else `fn` runs again; after many
   * conflicts it rejects with `excessive contention`. A throw of `fn` rejects and leaves nothing. A change that
   * stages nothing, or only what is there already, makes no revision.
   * When the disk fails, this and every other change that is not durable yet rejects and is undone.
   * Errors: `excessive contention`; whatever `fn` throws; `try again` when it could not be stored, with the problem.
   */
  change<T>(fn: (tx: Transactor<K>) => T | Promise<T>, by: string): Promise<T>;

  /**
   * Calls `onCommit` for each commit after revision `from` (default: from now), in order, none lost: those of the
   * past first. Called after the commit is durable and readable. Returns what ends it.
   * Errors: `not found` when the history no longer reaches back to `from`, or when `from` is in the future.
   */
  watch(onCommit: (commit: Commit<K>) => void, from?: number): () => void;

  /**
   * Commits of the past, newest first, as far back as the history goes. They are looked up one by one: it costs what
   * is taken, whatever else there was; one may take a few, and go on in a later turn.
   */
  past(query: PastQuery): Iterable<PastCommit<K>>;

  /**
   * Ids of removed documents by an index's value when they were removed, as far back as the history goes; an id may
   * be there again. Only for the indexes that the store was told to keep for that.
   */
  removed(space: string, kind: KindOf<K>, index: string, value: string): readonly string[];

  /**
   * The newest revision whose time is `time` (milliseconds since 1970) or before; 0 for a time before everything.
   * Errors: `not found` when that is beyond the retention.
   */
  revisionAt(time: number): number;

  /** When the revision was made, RFC 3339; '' when that is forgotten, or for none. */
  timeOf(revision: number): string;

  /**
   * What a space's documents count for, in bytes: each its JSON (nearly), long members with it, and what its place in memory
   * takes. With what is not durable yet; the history is not counted. Or what one of its documents counts for; 0 when there
   * is none. O(1).
   */
  held(space: string, document?: { readonly kind: KindOf<K>; readonly id: string }): number;

  /** The oldest revision that `at` knows, and the time of the first change after it; '' when there is none. */
  readonly horizon: { readonly revision: number; readonly at: string };

  /**
   * The state as it was. What came later is undone in slices, so that it blocks nobody for long. Errors: `not found`
   * when that is beyond the retention or in the future.
   */
  at(revision: number): Promise<Reader<K>>;

  /**
   * Why nothing could be stored when that was last tried, at the opening or by a change, with what to do; undefined when
   * all is well. Reading goes on; each change tries again.
   */
  readonly problem: string | undefined;

  /**
   * Was it damaged when it was opened? Then it is there for reading alone, until it is opened again: documents whose
   * rows are damaged are as they were before, or missing, and `problem` says so.
   */
  readonly isDamaged: boolean;

  /** What takes the store's space; in slices. Errors: `not supported` by an engine that does not know. */
  report(): Promise<StoreReport>;

  /** Waits for what is being committed, then closes. */
  close(): Promise<void>;
}
