import type { LongMember } from './long-values.ts';

import { Entries } from './entries.ts';

/** A document with its place in the store. An entry in the mirror is replaced as a whole and never changed. */
export interface Entry {
  readonly id: string;
  readonly doc: object;
  /** The document's members that the journal keeps apart; absent = none. */
  readonly long: readonly LongMember[] | undefined;
  /** Bytes that the document counts for in its space; equal documents count the same, wherever they were read. */
  readonly size: number;
  /** Revision of the document's last change. */
  revision: number;
  /** Journal row that holds this value. */
  seq: number;
  /** Journal row that created the document: the order of insertion. */
  born: number;
}

/** A sorted run of entries; `births` and `entries` are parallel arrays. */
interface Block {
  readonly births: number[];
  entries: Entry[];
  /** Whether `entries` is in a list: a change makes a copy first. */
  isListed: boolean;
}

/** Maximum entries per block: small enough that shifting them is cheap, large enough that there are few blocks. */
const blockMax = 128;

/**
 * Entries in the order of their birth, which also identifies them. New entries come last, so arrays are far cheaper
 * than a Map; blocks bound the shifting in large sets. Most index values have a single entry (the unit on a machine),
 * which is held without an array: that would cost more memory than the entry.
 */
export class EntrySet {
  /** Revision of the last change of the set or of a document in it. */
  changed = 0;
  #only: Entry | undefined;
  /** Blocks in order; none is empty. */
  #blocks: Block[] | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  set(entry: Entry): void {
    const { born } = entry;
    if (!this.#blocks) {
      if (!this.#only || this.#only.born === born) {
        this.#only = entry;
        this.#size = 1;
        return;
      }
      this.#blocks = [newBlock([this.#only.born], [this.#only])];
      this.#only = undefined;
    }
    const blocks = this.#blocks;
    const place = blockOf(blocks, born);
    const block = blocks[place]!;
    const { births } = block;
    const index = placeOf(births, born);
    if (births[index] === born) {
      entriesOf(block)[index] = entry;
      return;
    }
    this.#size++;
    if (births.length < blockMax) {
      insert(births, index, born);
      insert(entriesOf(block), index, entry);
    } else if (place === blocks.length - 1 && index === births.length) {
      blocks.push(newBlock([born], [entry]));
    } else {
      const half = blockMax / 2;
      blocks.splice(place + 1, 0, newBlock(births.splice(half), entriesOf(block).splice(half)));
      this.#size--;
      this.set(entry);
    }
  }

  delete({ born }: Entry): void {
    if (this.#only?.born === born) {
      this.#only = undefined;
      this.#size = 0;
    }
    if (!this.#blocks) return;
    const place = blockOf(this.#blocks, born);
    const block = this.#blocks[place]!;
    const { births } = block;
    const index = placeOf(births, born);
    if (births[index] !== born) return;
    this.#size--;
    take(births, index);
    take(entriesOf(block), index);
    if (births.length > 0) return;
    if (this.#blocks.length > 1) this.#blocks.splice(place, 1);
    else this.#blocks = undefined;
  }

  /** The entries as they are now: the set may change while they are gone through. */
  list(): Entries {
    if (!this.#blocks) return this.#only ? new Entries([[this.#only]]) : Entries.none;
    return new Entries(
      this.#blocks.map((block) => {
        block.isListed = true;
        return block.entries;
      }),
    );
  }
}

function newBlock(births: number[], entries: Entry[]): Block {
  return { births, entries, isListed: false };
}

/** The block's entries, to change them. */
function entriesOf(block: Block): Entry[] {
  if (block.isListed) {
    block.entries = block.entries.slice();
    block.isListed = false;
  }
  return block.entries;
}

export function byBirth(a: Entry, b: Entry): number {
  return a.born - b.born;
}

/** Index of the block that holds, or would hold, the birth. */
function blockOf(blocks: readonly Block[], born: number): number {
  let from = 0;
  let to = blocks.length - 1;
  if (blocks[to]!.births[0]! <= born) return to;
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if (blocks[middle]!.births[0]! <= born) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Index of the birth in the block, or where it would be inserted. */
function placeOf(births: readonly number[], born: number): number {
  let from = 0;
  let to = births.length;
  if (to === 0 || births[to - 1]! < born) return to;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (births[middle]! < born) from = middle + 1;
    else to = middle;
  }
  return from;
}

function insert<T>(items: T[], index: number, item: T): void {
  if (index === items.length) items.push(item);
  else items.splice(index, 0, item);
}

/** Removes one item; the first one, which is the most frequent case, by shift. */
function take<T>(items: T[], index: number): void {
  if (index === 0) items.shift();
  else items.splice(index, 1);
}
