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

/**
 * Entries in the order of their birth. Most index values have one entry (the unit on a machine), for which a Map
 * would cost four times as much memory as the entry.
 */
export class EntrySet {
  /** Revision of the last change of the set or of a document in it. */
  changed = 0;
  #only: Entry | undefined;
  #many: Map<string, Entry> | undefined;
  #newest = 0;
  #ordered = true;

  get size(): number {
    return this.#many ? this.#many.size : this.#only ? 1 : 0;
  }

  get(id: string): Entry | undefined {
    return this.#many ? this.#many.get(id) : this.#only?.id === id ? this.#only : undefined;
  }

  set(entry: Entry): void {
    if (!this.#many) {
      if (!this.#only || this.#only.id === entry.id) {
        this.#only = entry;
        this.#newest = entry.born;
        return;
      }
      this.#many = new Map([[this.#only.id, this.#only]]);
      this.#only = undefined;
    }
    if (entry.born < this.#newest && this.#many.get(entry.id)?.born !== entry.born) this.#ordered = false;
    this.#newest = Math.max(this.#newest, entry.born);
    this.#many.set(entry.id, entry);
  }

  delete(id: string): void {
    if (this.#many) this.#many.delete(id);
    else if (this.#only?.id === id) this.#only = undefined;
  }

  /** A list of its own: the caller may go through it while the set changes. */
  list(): Entry[] {
    if (!this.#many) return this.#only ? [this.#only] : [];
    const entries = [...this.#many.values()];
    if (!this.#ordered) {
      entries.sort(byBirth);
      this.#many = new Map(entries.map((entry) => [entry.id, entry]));
      this.#ordered = true;
    }
    return entries;
  }
}

export function byBirth(a: Entry, b: Entry): number {
  return a.born - b.born;
}
