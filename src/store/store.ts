/**
 * The store: ordered documents with revisions, the meaning that etcd has, so that entities are written once. A document
 * is `(space, kind, id) → JSON`; a space is a model's uuid, or '' for the controller's own.
 *
 * Nothing here knows Juju's nouns: the kinds and their indexes are arguments.
 */

import type { HeldFile } from './held-file.ts';
import type { StoreReport } from './report.ts';

/** Kind → document type. */
export type Kinds = { readonly [kind: string]: object } | object;
export type KindOf<K> = Extract<keyof K, string>;

/** Index → how a document is found by it. An index's value may be absent or several. */
export type Indexes<K> = {
  readonly [P in KindOf<K>]?: Readonly<Record<string, (doc: K[P]) => string | readonly string[] | undefined>>;
};

/** A document that a change is about to put. */
interface Put<K, P extends KindOf<K> = KindOf<K>> {
  readonly space: string;
  readonly kind: P;
  readonly id: string;
  /** The document as it was given to put. */
  readonly doc: K[P];
  /** Approximate length of the document's JSON in characters; exact but for escapes and long numbers. */
  readonly size: number;
  /** The document that the put replaces, as the change sees it. */
  readonly before: K[P] | undefined;
  /** Bytes by which the count of the space's documents (Store.held) will grow or shrink. */
  readonly grows: number;
  /** Bytes that the document will count for. */
  readonly counts: number;
  /** Bytes that the space's documents count for, including the change's own writes. O(1). */
  readonly held: number;
  /**
   * Whether the space has `max` documents of the kind under the index's value ('' = all), this one not counted. O(1).
   */
  readonly isFull: (index: string, value: string, max: number) => boolean;
  /**
   * Bytes that the space's documents of the kind under the index's value count for, including the change's own writes
   * and the document that is replaced. O(1).
   */
  readonly heldBy: (index: string, value: string) => number;
  /** Reads a document of the space '' without making it a source of conflicts. */
  readonly peek: <C extends KindOf<K>>(kind: C, id: string) => K[C] | undefined;
}

/**
 * Called for every document that is put, so that limits hold for every writer. An error that it throws is thrown by
 * `put`. It must be cheap, and read only through its argument.
 */
export type Admit<K> = (put: Put<K>) => void;

/** What a change is about to commit. */
export interface Written<K> {
  /** Spaces of which something is written. */
  readonly spaces: Iterable<string>;
  /** Documents that are put or removed. */
  readonly writes: () => Iterable<{
    readonly space: string;
    readonly kind: string;
    readonly id: string;
    /** The document as it was; undefined for a new one. */
    readonly before?: { readonly doc: object } | undefined;
    /** The document as the change put it first; undefined for one that it removed. */
    readonly after?: { readonly doc: object } | undefined;
  }>;
  /** Reads a document of the space '' as it is when the change is committed, with what the change itself writes. */
  readonly peek: <P extends KindOf<K>>(kind: P, id: string) => K[P] | undefined;
}

/**
 * Called once for each change, on the state that it is committed to. An error that it throws rejects the change, which
 * leaves nothing. It must be cheap, and read only through its argument.
 */
export type Permit<K> = (written: Written<K>) => void;

/**
 * A view of the documents, which are frozen. A member that makes its document longer than some KiB (charm state,
 * output, config text) is not in memory: looking at it reads it, synchronously. Looking at one of the past throws
 * ValueGone when it is not kept any more: the history has the newest long values only. What a view shows depends on
 * where it is from:
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
  /** Documents by a secondary index, in the order of insertion: costs what is taken of it. */
  find<P extends KindOf<K>>(kind: P, index: string, value: string): Iterable<K[P]>;
  /** Number of documents of the kind, or of those under an index's value. O(1). */
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
   * Puts a document and takes ownership of it: `doc` is deeply frozen and must not be changed afterwards. Members
   * that are `undefined` are left out. Errors: TypeError for what is not JSON; those of the store's `Admit`.
   */
  put<P extends KindOf<K>>(kind: P, id: string, doc: K[P]): void;
  /** Removes a document; one that does not exist is ignored. */
  remove(kind: KindOf<K>, id: string): void;
  in(space: string): Transactor<K>;
}

/** A change of one document; `before` is absent when it did not exist, `after` when it was removed. */
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
  /** Author of the change: a tag, or a worker's name. */
  readonly by: string;
  readonly changes: readonly Change<K>[];
}

/** Selects past changes: those in a space, those of some documents, or both. */
export interface PastQuery {
  readonly space?: string;
  readonly documents?: Iterable<DocumentKey>;
  /** Documents by an index's value: existing ones, and those that had it when they were removed. */
  readonly found?: Iterable<IndexKey>;
  /** Bounds of the revisions: only those above `after` and at most `upTo`. */
  readonly after?: number;
  readonly upTo?: number;
}
export interface DocumentKey {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}

/** A value of an index that `removed` can query. */
interface IndexKey {
  readonly space: string;
  readonly kind: string;
  readonly index: string;
  readonly value: string;
}

/** A past commit, restricted to the changes that a query asks for. */
export interface PastCommit<K> {
  readonly revision: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly by: string;
  /** Number of changes. */
  readonly total: number;
  /**
   * The first `most` changes, in the order of the transaction. Readable while the history reaches back to the commit.
   */
  readonly changes: (most: number) => readonly Change<K>[];
}

export interface Store<K> {
  /** The newest durable state. Synchronous: it reads the in-memory mirror, and never sees what is not durable. */
  read(): Reader<K>;

  /**
   * Runs `fn` (at once, in the space '') on a consistent snapshot and commits what it staged; resolves when that is
   * durable. What was read (documents, index values, whole kinds) must be unchanged at the commit, else `fn` runs
   * again; after many conflicts it rejects with `excessive contention`. A throw of `fn` rejects and leaves nothing. A
   * change that stages nothing, or only what is there already, makes no revision. When the disk fails, this and every
   * other change that is not durable yet rejects and is undone. Errors: `excessive contention`; whatever `fn` throws;
   * `try again` when it could not be stored, with the problem.
   */
  change<T>(fn: (tx: Transactor<K>) => T | Promise<T>, by: string): Promise<T>;

  /**
   * Calls `onCommit` for each commit after revision `from` (default: from now), in order, none lost: those of the past
   * first. Called after the commit is durable and readable. Returns a function that ends the watch. Errors: `not found`
   * when the history no longer reaches back to `from`, or when `from` is in the future.
   */
  watch(onCommit: (commit: Commit<K>) => void, from?: number): () => void;

  /**
   * Commits of the past, newest first, as far back as the history goes. They are looked up one by one, so the cost is
   * that of what is taken; iteration may go on in a later turn.
   */
  past(query: PastQuery): Iterable<PastCommit<K>>;

  /**
   * Ids of removed documents by an index's value when they were removed, as far back as the history goes; a document
   * with such an id may exist again. Only for the indexes that were named when the store was opened.
   */
  removed(space: string, kind: KindOf<K>, index: string, value: string): readonly string[];

  /**
   * The newest revision whose time is `time` (milliseconds since 1970) or before; 0 for a time before everything.
   * Errors: `not found` when that is beyond the retention.
   */
  revisionAt(time: number): number;

  /** Time of the revision, RFC 3339; '' when it is forgotten, or for revision 0. */
  timeOf(revision: number): string;

  /**
   * Bytes that a space's documents count for, or one of them (0 when it does not exist), or those of a kind under an
   * index's value: about the length of its JSON with long members, and what its place in memory takes. Staged documents
   * are counted, the history is not. O(1).
   */
  held(
    space: string,
    of?: { readonly kind: KindOf<K> } & (
      | { readonly id: string }
      | { readonly index: string; readonly value: string }
    ),
  ): number;

  /** The oldest revision that `at` knows, and the time of the first change after it; '' when there is none. */
  readonly horizon: { readonly revision: number; readonly at: string };

  /**
   * The state at a revision. Later changes are undone in slices, so that other work is not blocked for long. Errors:
   * `not found` when the revision is beyond the retention or in the future.
   */
  at(revision: number): Promise<Reader<K>>;

  /**
   * Why nothing could be stored at the last attempt (the opening or a change), with what to do; undefined when there
   * is no problem. Reading goes on; each change tries again.
   */
  readonly problem: string | undefined;

  /**
   * Whether the store was found damaged when it was opened. It is then read-only until it is opened again: documents
   * whose rows are damaged are as they were before, or missing, and `problem` says so.
   */
  readonly isDamaged: boolean;

  /**
   * Reports what takes the store's space; computed in slices. Errors: `not supported` by an engine that cannot tell.
   */
  report(): Promise<StoreReport>;

  /**
   * Holds the store's file as of the newest durable revision, so that it can be copied while the store is used. Errors:
   * '' when it is held already; `not supported` by an engine without a file.
   */
  holdFile(): HeldFile;

  /** Waits for commits under way, then closes. */
  close(): Promise<void>;
}
