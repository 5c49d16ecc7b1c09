import { createRandom, type Random } from '../../forecast/world/random.ts';

/** Random choices for scripts: the same seed gives the same choices. */
export class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = createRandom(seed, 'script');
  }

  next(): number {
    return this.#random.next();
  }

  is(probability: number): boolean {
    return this.#random.chance(probability);
  }

  /** Returns a whole number, 0 ≤ n < limit. */
  below(limit: number): number {
    return this.#random.int(0, limit);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }
}
