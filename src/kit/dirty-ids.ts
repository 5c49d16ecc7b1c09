/**
 * What a worker has to look at: all of it at first, later what somebody said that it changed, so that a pass costs what
 * changed and not what there is. What a failed pass had taken is given back.
 */
export class DirtyIds {
  readonly #all: () => Iterable<string>;
  #ids: Set<string> | 'all' = 'all';

  constructor(all: () => Iterable<string>) {
    this.#all = all;
  }

  /** Returns how many there were. */
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

  /** Hands out what there is, `all` = all of it; when `fn` throws, it is to be looked at again. */
  async take(fn: (ids: readonly string[], all: boolean) => Promise<void>): Promise<void> {
    const taken = this.#ids;
    this.#ids = new Set();
    try {
      await fn([...(taken === 'all' ? this.#all() : taken)], taken === 'all');
    } catch (error) {
      if (taken === 'all') this.#ids = 'all';
      else this.add(taken);
      throw error;
    }
  }
}
