/**
 * Hands each committed change to those who asked for the document, or for what an index finds it by: a change costs
 * what it concerns, not the number of watchers (design §1 of performance: nothing quadratic in the units).
 */
import type { Change, Indexes, Kinds, Store } from '../../store/store.ts';

/** `unit mysql/0` = one document; `unit@machine 3` = every unit that the index `machine` finds by `3`. */
export type Topic = string;
type Listener = (change: Change<never>) => void;

export interface Dispatch {
  /** Calls back for each change on the topic, in commit order. Returns what ends it. */
  on(space: string, topic: Topic, listener: (change: { kind: string; id: string; before: unknown; after: unknown }) => void): () => void;
  stop(): void;
}

export function createDispatch<K extends Kinds>(store: Store<K>, indexes: Indexes<K>): Dispatch {
  const listeners = new Map<string, Set<Listener>>();
  const stop = store.watch((commit) => {
    for (const change of commit.changes) {
      for (const topic of topicsOf(change)) {
        const set = listeners.get(`${change.space} ${topic}`);
        if (set) for (const listener of [...set]) listener(change as Change<never>);
      }
    }
  });

  function topicsOf(change: Change<K>): Set<string> {
    const topics = new Set([`${change.kind} ${change.id}`]);
    const found = indexes[change.kind] as Record<string, (doc: unknown) => string | readonly string[] | undefined> | undefined;
    for (const [name, valueOf] of Object.entries(found ?? {})) {
      for (const doc of [change.before, change.after]) {
        if (!doc) continue;
        const value = valueOf(doc);
        if (value === undefined) continue;
        for (const one of typeof value === 'string' ? [value] : value) topics.add(`${change.kind}@${name} ${one}`);
      }
    }
    return topics;
  }

  return {
    on(space, topic, listener) {
      const key = `${space} ${topic}`;
      let set = listeners.get(key);
      if (!set) listeners.set(key, (set = new Set()));
      set.add(listener as Listener);
      return () => {
        set.delete(listener as Listener);
        if (set.size === 0 && listeners.get(key) === set) listeners.delete(key);
      };
    },
    stop,
  };
}
