/**
 * Hands each committed change to the listeners of the document, or of an index value of it: the cost of a change
 * depends on what it concerns, not on the number of watchers (wire.md#no-quadratic-work).
 */
import type { Entities } from '../../core/kinds.ts';
import type { Indexes, Kinds, Store } from '../../store/store.ts';

/** Topic: `unit` = every unit; `unit mysql/0` = one; `unit@machine 3` = those that the index `machine` finds by `3`. */
export type Topic<K = Entities> = TopicOf<Extract<keyof K, string>>;
type TopicOf<P extends string> = P extends string ? P | `${P} ${string}` | `${P}@${string} ${string}` : never;
/** Kind of a topic's documents. */
type KindOfTopic<T extends string> = T extends `${infer P}@${string} ${string}`
  ? P
  : T extends `${infer P} ${string}`
    ? P
    : T;

/** Change as a listener gets it; `before` or `after` is absent when there was, or is, no document. */
export interface DocumentChange<D> {
  readonly kind: string;
  readonly id: string;
  readonly before: D | undefined;
  readonly after: D | undefined;
}
/** Change that a listener of the topic gets. */
export type ChangeOn<T extends string, K = Entities> = DocumentChange<K[KindOfTopic<T> & keyof K]>;
type Listener = (change: DocumentChange<unknown>) => void;

export interface Dispatch<K = Entities> {
  /** Calls back for each change on the topic, in commit order. Returns a function that ends the subscription. */
  on<T extends Topic<K>>(space: string, topic: T, listener: (change: ChangeOn<T, K>) => void): () => void;
  stop(): void;
}

/** Listeners of one topic. */
class Listeners {
  readonly #all = new Set<Listener>();
  /** Snapshot of the listeners; rebuilt only after they changed, as one commit may have ten thousand changes. */
  #list: readonly Listener[] | undefined;

  get size(): number {
    return this.#all.size;
  }

  add(listener: Listener): void {
    this.#all.add(listener);
    this.#list = undefined;
  }

  delete(listener: Listener): boolean {
    this.#list = undefined;
    return this.#all.delete(listener);
  }

  /**
   * Calls all listeners. A listener may end its own or another's subscription, or add one: that counts from the next
   * change.
   */
  notify(change: DocumentChange<unknown>): void {
    const listeners = this.#list ?? [...this.#all];
    this.#list = listeners;
    for (const listener of listeners) listener(change);
  }
}

/** Topics of one kind in one space; nested maps, so that a change's topics need not be formatted as text. */
interface Topics {
  readonly all: Listeners;
  readonly byId: Map<string, Listeners>;
  /** Listeners by index, then value. */
  readonly byIndex: Map<string, ByValue>;
}
interface ByValue {
  /** Returns the index's values for a document. */
  readonly valuesOf: (doc: unknown) => string | readonly string[] | undefined;
  readonly listeners: Map<string, Listeners>;
}

export function createDispatch<K extends Kinds>(store: Store<K>, indexes: Indexes<K>): Dispatch<K> {
  const kinds = new Map<string, Map<string, Topics>>();
  const stop = store.watch((commit) => {
    for (const change of commit.changes) {
      const topics = kinds.get(change.space)?.get(change.kind);
      if (topics) notify(topics, change);
    }
  });

  return {
    on(space, topic, listener) {
      const { kind, index, name } = parse(topic);
      const inSpace = entry(kinds, space, () => new Map<string, Topics>());
      const { all, byId, byIndex } = entry(inSpace, kind, newTopics);
      const byName =
        index === undefined ? byId : entry(byIndex, index, () => newIndex(indexes, kind, index)).listeners;
      const listeners = name === undefined ? all : entry(byName, name, () => new Listeners());
      // Only documents of the topic's kind reach this listener.
      const anyListener = listener as Listener;
      listeners.add(anyListener);
      return () => {
        if (!listeners.delete(anyListener) || listeners.size > 0) return;
        if (name !== undefined) byName.delete(name);
        if (index !== undefined && byName.size === 0) byIndex.delete(index);
        if (all.size + byId.size + byIndex.size > 0) return;
        inSpace.delete(kind);
        if (inSpace.size === 0) kinds.delete(space);
      };
    },
    stop,
  };
}

function notify(topics: Topics, change: DocumentChange<unknown>): void {
  topics.all.notify(change);
  if (topics.byId.size > 0) topics.byId.get(change.id)?.notify(change);
  for (const { valuesOf, listeners } of topics.byIndex.values()) {
    const before = change.before === undefined ? undefined : valuesOf(change.before);
    const after = change.after === undefined ? undefined : valuesOf(change.after);
    if (before === undefined && after === undefined) continue;
    // A value that stays is notified once.
    for (const value of new Set([...each(before), ...each(after)])) listeners.get(value)?.notify(change);
  }
}

function each(values: string | readonly string[] | undefined): readonly string[] {
  return typeof values === 'string' ? [values] : (values ?? []);
}

function newIndex<K>(indexes: Indexes<K>, kind: string, index: string): ByValue {
  const ofKind = indexes[kind as keyof typeof indexes] as Record<string, ByValue['valuesOf']> | undefined;
  return { valuesOf: ofKind?.[index] ?? (() => undefined), listeners: new Map() };
}

function newTopics(): Topics {
  return { all: new Listeners(), byId: new Map(), byIndex: new Map() };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function parse(topic: string): { kind: string; index: string | undefined; name: string | undefined } {
  const blank = topic.indexOf(' ');
  const subject = blank < 0 ? topic : topic.slice(0, blank);
  const atSign = subject.indexOf('@');
  return {
    kind: atSign < 0 ? subject : subject.slice(0, atSign),
    index: atSign < 0 ? undefined : subject.slice(atSign + 1),
    name: blank < 0 ? undefined : topic.slice(blank + 1),
  };
}
