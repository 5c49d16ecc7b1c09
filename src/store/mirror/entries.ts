import type { Entry } from './entry-set.ts';

/**
 * Entries as they were when they were listed. Nothing is copied: a caller that lists 100,000 to take the first pays for
 * one.
 */
export class Entries implements Iterable<Entry> {
  static readonly none = new Entries([]);

  readonly #blocks: readonly (readonly Entry[])[];

  /** The blocks must not be changed afterwards. */
  constructor(blocks: readonly (readonly Entry[])[]) {
    this.#blocks = blocks;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const block of this.#blocks) yield* block;
  }

  /** The documents; those of a single block as an array, which is the fastest to go through. */
  docs<T extends object>(): Iterable<T> {
    const blocks = this.#blocks;
    if (blocks.length === 1) return blocks[0]!.map(({ doc }) => doc as T);
    return { [Symbol.iterator]: () => new Docs<T>(blocks) };
  }
}

/** A class, because a generator takes twice as long for each document. */
class Docs<T extends object> implements Iterator<T, undefined> {
  readonly #blocks: readonly (readonly Entry[])[];
  #block = 0;
  #place = 0;

  constructor(blocks: readonly (readonly Entry[])[]) {
    this.#blocks = blocks;
  }

  next(): IteratorResult<T, undefined> {
    const block = this.#blocks[this.#block];
    if (!block) return { done: true, value: undefined };
    const value = block[this.#place]!.doc as T;
    if (++this.#place === block.length) {
      this.#block++;
      this.#place = 0;
    }
    return { done: false, value };
  }
}
