/**
 * Hands each committed change to those who asked for the document, or for what an index finds it by: a change costs
 * what it concerns, not the number of watchers (design §1 of performance: nothing quadratic in the units).
 */
import type { Change, Indexes, Kinds, Store } from '../../store/store.ts';

/** `unit` = every unit; `unit mysql/0` = one; `unit@machine 3` = those that the index `machine` finds by `3`. */
export type Topic = string;
/** What a listener hears of a change. */
export interface Heard {
  readonly kind: string;
  readonly id: string;
  readonly before: unknown;
  readonly after: unknown;
}
type Listener = (change: Heard) => void;

export interface Dispatch {
  /** Calls back for each change on the topic, in commit order. Returns what ends it. */
  on(space: string, topic: Topic, listener: Listener): () => void;
  stop(): void;
}

export function createDispatch<K extends Kinds>(store: Store<K>, indexes: Indexes<K>): Dispatch {
  const listeners = new Map<string, Set<Listener>>();
  const stop = store.watch((commit) => {
    for (const change of commit.changes) {
      for (const topic of topicsOf(change)) {
        const set = listeners.get(`${change.space} ${topic}`);
        if (set) for (const listener of set) listener(change);
      }
    }
  });

  function topicsOf(change: Change<K>): Set<string> {
    const topics = new Set<string>([change.kind, `${change.kind} ${change.id}`]);
    const found = indexes[change.kind] as
      Record<string, (doc: unknown) => string | readonly string[] | undefined> | undefined;
    for (const [name, valueOf] of Object.entries(found ?? {})) {
      for (const doc of [change.before, change.after]) {
        if (!doc) continue;
        const value = valueOf(doc);
        if (value === undefined) continue;
        for (const one of typeof value === 'string' ? [value] : value)
          topics.add(`${change.kind}@${name} ${one}`);
      }
    }
    return topics;
  }

  return {
    on(space, topic, listener) {
      const key = `${space} ${topic}`;
      let set = listeners.get(key);
      if (!set) listeners.set(key, (set = new Set()));
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(key) === set) listeners.delete(key);
      };
    },
    stop,
  };
}
