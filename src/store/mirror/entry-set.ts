/** A document with its place in the store. Replaced as a whole, never changed once it is in the mirror. */
export interface Entry {
  readonly id: string;
  readonly doc: object;
  /** Of the document's last change. */
  revision: number;
  /** The journal's row that holds this value. */
  seq: number;
  /** The journal's row that made the document: the order of insertion. */
  born: number;
}

/** Side by side and sorted; what is gone leaves a hole, so that not all that follows has to move. */
interface Sorted {
  births: number[];
  entries: (Entry | undefined)[];
  holes: number;
}

/**
 * Entries in the order of their birth, which is also what they are known by. New ones come last, so that arrays are
 * far cheaper than a Map; and most index values have one entry (the unit on a machine), for which either would cost
 * more memory than the entry.
 */
export class EntrySet {
  /** Revision of the last change of the set or of a document in it. */
  changed = 0;
  #only: Entry | undefined;
  #many: Sorted | undefined;

  get size(): number {
    return this.#many ? this.#many.births.length - this.#many.holes : this.#only ? 1 : 0;
  }

  set(entry: Entry): void {
    const { born } = entry;
    if (!this.#many) {
      if (!this.#only || this.#only.born === born) {
        this.#only = entry;
        return;
      }
      this.#many = { births: [this.#only.born], entries: [this.#only], holes: 0 };
      this.#only = undefined;
    }
    const { births, entries } = this.#many;
    const at = placeOf(births, born);
    if (at === births.length) {
      births.push(born);
      entries.push(entry);
    } else if (births[at] === born) {
      if (!entries[at]) this.#many.holes--;
      entries[at] = entry;
    } else {
      births.splice(at, 0, born);
      entries.splice(at, 0, entry);
    }
  }

  delete({ born }: Entry): void {
    if (this.#only?.born === born) this.#only = undefined;
    if (!this.#many) return;
    const { births, entries } = this.#many;
    const at = placeOf(births, born);
    if (births[at] !== born || !entries[at]) return;
    entries[at] = undefined;
    if (++this.#many.holes * 2 <= births.length) return;
    const left = this.list();
    this.#many = { births: left.map((entry) => entry.born), entries: left, holes: 0 };
  }

  /** A list of its own: the caller may go through it while the set changes. */
  list(): Entry[] {
    if (!this.#many) return this.#only ? [this.#only] : [];
    const { entries, holes } = this.#many;
    return holes === 0 ? (entries.slice() as Entry[]) : entries.filter((entry) => entry !== undefined);
  }
}

export function byBirth(a: Entry, b: Entry): number {
  return a.born - b.born;
}

/** Where it is, or belongs. */
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
