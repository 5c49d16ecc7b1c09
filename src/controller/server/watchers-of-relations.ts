import { checkLimit, limits } from '../../core/limits.ts';

/** Number of watchers that other controllers have of each relation, by all their connections. */
export class WatchersOfRelations {
  readonly #counts = new Map<string, number>();

  /** Adds a watcher; the returned function ends that. Errors: `quota limit exceeded`. */
  enter(relation: string): () => void {
    const count = (this.#counts.get(relation) ?? 0) + 1;
    checkLimit(limits.watchersOfRelation, count);
    this.#counts.set(relation, count);
    return () => {
      const remaining = this.#counts.get(relation)! - 1;
      if (remaining > 0) this.#counts.set(relation, remaining);
      else this.#counts.delete(relation);
    };
  }
}
