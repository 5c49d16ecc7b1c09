import { JujuError } from '../../core/errors.ts';
import { systemNextTurn, type NextTurn } from '../../kit/clock.ts';
import type {
  Admit,
  Commit,
  Indexes,
  KindOf,
  PastCommit,
  PastQuery,
  Permit,
  Reader,
  Store,
  Transactor,
} from '../store.ts';
import { asCommit } from './as-commit.ts';
import type { Entry } from './entry-set.ts';
import { cannot, type Journal, type JournalChange, type JournalCommit } from './journal.ts';
import { settleLong } from './long-values.ts';
import { Mirror } from './mirror.ts';
import { Overlay } from './overlay.ts';
import { PastSource } from './past-source.ts';
import type { IndexFunctions } from './table.ts';
import { timeText } from '../../kit/time-text.ts';
import { isChange, runsMax, Transaction, TransactionView, type Write } from './transaction.ts';
import { View, type Source } from './view.ts';

export interface MirroredStoreOptions<K> {
  readonly journal: Journal;
  readonly indexes: Indexes<K>;
  /** Checks every put; default: everything may be put. */
  readonly admit?: Admit<K>;
  /** Checks every change; default: everything may be changed. */
  readonly permit?: Permit<K>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newUuid: () => string;
  /** Changes that are staged before it calls back are committed together. Default: the event loop's next turn. */
  readonly nextTurn?: NextTurn;
  /**
   * Called with what a watcher threw. Default: the error is thrown outside of the store, as an uncaught exception.
   */
  readonly onWatcherError?: (error: unknown) => void;
}

interface Pending {
  readonly commit: JournalCommit;
  /** The change itself, and changes that staged nothing but may have read what this one staged. */
  readonly settle: { resolve: () => void; reject: (error: unknown) => void }[];
}

interface Watcher<K> {
  readonly onCommit: (commit: Commit<K>) => void;
  /** Revision of the last commit that the watcher got. */
  seen: number;
}

/**
 * A store whose documents are in memory and whose commits go to a journal. Changes run on the newest staged state;
 * all that were staged in one turn of the event loop become durable together. Until then `read` does not see them: it
 * looks at the mirror through an overlay of the previous values. When the journal fails, everything that is not
 * durable is undone, because each change may build on those before it.
 */
export class MirroredStore<K> implements Store<K>, Source {
  readonly #options: MirroredStoreOptions<K>;
  readonly #journal: Journal;
  readonly #nextTurn: NextTurn;
  readonly #time: () => string;
  readonly #mirror: Mirror;
  readonly #watchers = new Set<Watcher<K>>();
  #pending: Pending[] = [];
  /** The durable state as an overlay of the mirror; built on first read. */
  #durable: Overlay | undefined;
  #revision: number;
  #stagedRevision: number;
  #seq: number;
  #flushing: Promise<void> | undefined;
  #closed = false;
  #problem: string | undefined;
  readonly held: Store<K>['held'] = (space, of) =>
    of ? this.#mirror.bytesOf(space, of) : this.#mirror.bytes(space);

  constructor(options: MirroredStoreOptions<K>) {
    this.#options = options;
    this.#journal = options.journal;
    this.#time = timeText(options.now);
    this.#nextTurn = options.nextTurn ?? systemNextTurn;
    this.#mirror = new Mirror(options.indexes as Readonly<Record<string, IndexFunctions | undefined>>);
    const { revision, seq } = this.#journal.load((space, kind, entry) =>
      this.#mirror.put(space, kind, entry, undefined, entry.revision),
    );
    this.#revision = revision;
    this.#stagedRevision = revision;
    this.#seq = seq;
    this.#problem = this.#journal.problem;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get isDamaged(): boolean {
    return this.#journal.isDamaged ?? false;
  }

  read(): Reader<K> {
    return new View<K>(this, '');
  }

  change<T>(fn: (tx: Transactor<K>) => T | Promise<T>, author: string): Promise<T> {
    return new Promise((resolve, reject) => this.#run(fn, author, { resolve, reject }, 1));
  }

  watch(onCommit: (commit: Commit<K>) => void, from = this.#revision): () => void {
    this.#checkKnown(from);
    const watcher: Watcher<K> = { onCommit, seen: from };
    this.#watchers.add(watcher);
    if (from < this.#revision) {
      for (const commit of this.#journal.commitsAfter(from)) {
        if (!this.#watchers.has(watcher)) break;
        this.#notify(watcher, asCommit<K>(commit));
      }
    }
    return () => void this.#watchers.delete(watcher);
  }

  past({ space, documents, found, after = 0, upTo = this.#revision }: PastQuery): Iterable<PastCommit<K>> {
    const rows: number[] = [];
    for (const key of documents ?? []) {
      const row =
        this.get(key.space, key.kind, key.id)?.seq ?? this.#journal.removalOf(key.space, key.kind, key.id);
      if (row !== undefined) rows.push(row);
    }
    for (const { space, kind, index, value } of found ?? []) {
      for (const { seq } of this.find(space, kind, index, value) ?? []) rows.push(seq);
      for (const { seq } of this.#journal.removed(space, kind, index, value)) rows.push(seq);
    }
    const query = { space, rows, after, upTo: Math.min(upTo, this.#revision) };
    return this.#journal.past(query) as Iterable<PastCommit<unknown>> as Iterable<PastCommit<K>>;
  }

  removed(space: string, kind: KindOf<K>, index: string, value: string): readonly string[] {
    return [...new Set(this.#journal.removed(space, kind, index, value).map(({ id }) => id))];
  }

  revisionAt(time: number): number {
    const revision = this.#journal.revisionAt(new Date(time).toISOString());
    if (revision !== undefined) return Math.min(revision, this.#revision);
    const { horizon } = this;
    if (horizon.revision === 0) return 0;
    throw new JujuError('not found', `history begins at ${horizon.at} (revision ${horizon.revision})`);
  }

  timeOf(revision: number): string {
    return this.#journal.timeOf(revision);
  }

  get horizon(): { revision: number; at: string } {
    const revision = this.#journal.horizon;
    return { revision, at: this.#journal.timeOf(revision + 1) };
  }

  async at(revision: number): Promise<Reader<K>> {
    this.#checkKnown(revision);
    const source = new PastSource({
      revision,
      mirror: this.#mirror,
      journal: this.#journal,
      durableRevision: () => this.#revision,
      pending: () => this.#pending.map((pending) => pending.commit),
    });
    await source.prepare(() => this.#pause());
    return new View<K>(source, '');
  }

  async report(): ReturnType<Store<K>['report']> {
    return this.#journal.report?.(() => this.#pause()) ?? cannot('report its disk usage');
  }

  holdFile(): ReturnType<Store<K>['holdFile']> {
    return this.#journal.holdFile?.() ?? cannot('be copied while it is open');
  }

  /** Yields to other work. Errors: when the store was closed meanwhile. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => this.#nextTurn(resolve));
    if (this.#closed) throw new Error('the store is closed');
  }

  async close(): Promise<void> {
    if (this.#closed) return this.#flushing;
    this.#closed = true;
    while (this.#pending.length > 0) await (this.#flushing ?? this.#flush());
    this.#watchers.clear();
    this.#journal.close();
  }

  get revision(): number {
    return this.#revision;
  }

  get(space: string, kind: string, id: string): ReturnType<Source['get']> {
    return this.#rows(space, kind)?.get(id);
  }

  revisionOf(space: string, kind: string, id: string): number {
    return this.get(space, kind, id)?.revision ?? 0;
  }

  find(space: string, kind: string, index: string, value: string): ReturnType<Source['find']> {
    return this.#rows(space, kind)?.find(index, value);
  }

  count(space: string, kind: string, index: string, value: string): number {
    return this.#rows(space, kind)?.count(index, value) ?? 0;
  }

  spaces(): Iterable<string> {
    return this.#overlay()?.spaces() ?? this.#mirror.spaces();
  }

  #rows(space: string, kind: string): ReturnType<Overlay['rows']> {
    const overlay = this.#overlay();
    return overlay ? overlay.rows(space, kind) : this.#mirror.table(space, kind);
  }

  #overlay(): Overlay | undefined {
    if (this.#pending.length === 0) return undefined;
    if (!this.#durable) {
      this.#durable = new Overlay(this.#mirror);
      for (const { commit } of this.#pending)
        for (const change of commit.changes) this.#durable.layBefore(change);
    }
    return this.#durable;
  }

  #run<T>(
    fn: (tx: Transactor<K>) => T | Promise<T>,
    by: string,
    settle: { resolve: (value: T) => void; reject: (error: unknown) => void },
    run: number,
  ): void {
    if (this.#closed) return settle.reject(new Error('the store is closed'));
    if (run > runsMax) {
      return settle.reject(
        new JujuError('excessive contention', `excessive contention: ${by} conflicted ${runsMax} times`),
      );
    }
    const transaction = new Transaction({
      mirror: this.#mirror,
      values: this.#journal.values,
      revision: () => this.#stagedRevision,
      now: this.#time(),
      newUuid: this.#options.newUuid,
      admit: this.#options.admit as Admit<Record<string, object>> | undefined,
    });
    const finish = (stage: () => void, resolve: () => void, reject: (error: unknown) => void): void => {
      const current = transaction.isCurrent();
      transaction.end();
      if (!current) return this.#run(fn, by, settle, run + 1);
      if (this.#closed) return settle.reject(new Error('the store is closed'));
      let settled = resolve;
      try {
        stage();
      } catch (error) {
        settled = () => settle.reject(error);
      }
      // State that the change has read may not be durable yet, so even an error waits for that.
      const last = this.#pending.at(-1);
      if (last) last.settle.push({ resolve: settled, reject });
      else settled();
    };
    const onResult = (result: T): void =>
      finish(
        () => this.#stage(transaction, by),
        () => settle.resolve(result),
        settle.reject,
      );
    const onThrow = (error: unknown): void => {
      const refuse = (): void => settle.reject(error);
      finish(() => undefined, refuse, refuse);
    };
    let result: T | Promise<T>;
    try {
      result = fn(new TransactionView<K>(transaction, ''));
    } catch (error) {
      return onThrow(error);
    }
    if (result instanceof Promise) result.then(onResult, onThrow);
    else onResult(result);
  }

  #stage(transaction: Transaction, author: string): void {
    if (transaction.hasWrites) this.#options.permit?.(transaction.written<K>());
    const revision = this.#stagedRevision + 1;
    const changes = transaction.writes().filter(isChange);
    if (changes.length === 0) return;
    this.#stagedRevision = revision;
    for (let n = 0; n < changes.length; n++) this.#enter(changes[n]!, revision);
    this.#pending.push({ commit: { revision, at: transaction.now, by: author, changes }, settle: [] });
    this.#flushSoon();
  }

  /** Gives a write its place, and applies it. */
  #enter(write: Write, revision: number): void {
    const { before, after } = write;
    const seq = ++this.#seq;
    write.seq = seq;
    if (after) {
      after.revision = revision;
      after.seq = seq;
      after.born = before?.born ?? seq;
    }
    this.#apply(write, before, after, revision);
    this.#durable?.layBefore(write);
  }

  #apply(change: JournalChange, old: Entry | undefined, entry: Entry | undefined, changed: number): void {
    if (entry) this.#mirror.put(change.space, change.kind, entry, old, changed);
    else this.#mirror.remove(change.space, change.kind, change.id, changed);
  }

  #flushSoon(): void {
    if (this.#flushing || this.#pending.length !== 1) return;
    this.#nextTurn(() => {
      if (!this.#flushing) void this.#flush();
    });
  }

  #flush(): Promise<void> {
    if (this.#pending.length === 0) return Promise.resolve();
    this.#flushing ??= this.#flushPending().finally(() => {
      this.#flushing = undefined;
      if (this.#pending.length > 0) this.#nextTurn(() => void this.#flush());
    });
    return this.#flushing;
  }

  async #flushPending(): Promise<void> {
    const group = this.#pending.slice();
    try {
      await this.#journal.append(group.map((pending) => pending.commit));
    } catch (cause) {
      this.#problem = this.#journal.explain?.(cause) ?? String(cause);
      const message = `the change could not be stored: ${this.#problem}`;
      return this.#undoPending(new JujuError('try again', message, { cause }));
    }
    this.#problem = undefined;
    for (const { commit } of group) for (const change of commit.changes) settleLong(change, commit.revision);
    this.#pending = this.#pending.slice(group.length);
    this.#durable = undefined;
    this.#revision = group.at(-1)?.commit.revision ?? this.#revision;
    for (const pending of group) for (const { resolve } of pending.settle) resolve();
    for (const { commit } of group) this.#publish(commit);
  }

  #undoPending(error: Error): void {
    const undone = this.#pending;
    this.#pending = [];
    this.#durable = undefined;
    // The undo has a revision of its own: a change that has read a restored set runs again, whatever it held.
    const changed = ++this.#stagedRevision;
    for (const { commit } of undone.toReversed()) {
      for (const change of commit.changes.toReversed())
        this.#apply(change, change.after, change.before, changed);
    }
    for (const pending of undone) for (const { reject } of pending.settle) reject(error);
  }

  #publish(commit: JournalCommit): void {
    if (this.#watchers.size === 0) return;
    const visible = asCommit<K>(commit);
    for (const watcher of this.#watchers) if (watcher.seen < commit.revision) this.#notify(watcher, visible);
  }

  #notify(watcher: Watcher<K>, commit: Commit<K>): void {
    watcher.seen = commit.revision;
    try {
      watcher.onCommit(commit);
    } catch (error) {
      if (this.#options.onWatcherError) this.#options.onWatcherError(error);
      else {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #checkKnown(revision: number): void {
    if (revision > this.#revision)
      throw new JujuError('not found', `revision ${revision} not found: it is in the future`);
    if (revision < this.#journal.horizon) {
      throw new JujuError(
        'not found',
        `revision ${revision} not found: history begins at ${this.#journal.horizon}`,
      );
    }
  }
}
