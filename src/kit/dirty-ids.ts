/**
 * The set of ids that a worker has to look at: all of them at first, later those reported as changed, so that a pass
 * costs what changed and not what exists. Ids taken by a failed pass are returned to the set.
 */
export class DirtyIds {
  readonly #all: () => Iterable<string>;
  #ids: Set<string> | 'all' = 'all';

  constructor(all: () => Iterable<string>) {
    this.#all = all;
  }

  /** Returns the number of ids taken. */
  add(ids: Iterable<string>): number {
    let count = 0;
    for (const id of ids) {
      count++;
      if (this.#ids !== 'all') this.#ids.add(id);
    }
    return count;
  }

  get isEmpty(): boolean {
    return this.#ids !== 'all' && this.#ids.size === 0;
  }

  addAll(): void {
    this.#ids = 'all';
  }

  /** Passes the ids to `fn`, `all` = all of them; when `fn` throws, they are returned to the set. */
  async take(fn: (ids: readonly string[], all: boolean) => Promise<void>): Promise<void> {
    const ids = this.#ids;
    this.#ids = new Set();
    try {
      await fn([...(ids === 'all' ? this.#all() : ids)], ids === 'all');
    } catch (error) {
      if (ids === 'all') this.#ids = 'all';
      else this.add(ids);
      throw error;
    }
  }
}
