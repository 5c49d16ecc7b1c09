import { Entries } from './entries.ts';
import { byBirth, type Entry } from './entry-set.ts';
import { indexValues, type IndexFunctions, type Rows } from './table.ts';

/** Difference between an index's value here and in the rows below. */
interface Difference {
  readonly added: Map<string, Entry>;
  /** Number of rows below that are found by the value and are replaced or removed here. */
  hidden: number;
  /** Bytes that the hidden rows count for. */
  hiddenBytes: number;
  /** Bytes that the added rows count for. */
  addedBytes: number;
}

/**
 * Rows that overlay others: a transaction's own writes, or values of the past. Indexes are built on first use, so
 * that a delta which is only written costs one Map entry per document.
 */
export class Delta implements Rows {
  readonly #below: () => Rows | undefined;
  readonly #functions: IndexFunctions;
  readonly #rows = new Map<string, Entry | undefined>();
  readonly #indexes = new Map<string, Map<string, Difference>>();

  constructor(below: () => Rows | undefined, functions: IndexFunctions) {
    this.#below = below;
    this.#functions = functions;
  }

  /** Whether this delta replaces or removes the row. */
  has(id: string): boolean {
    return this.#rows.has(id);
  }

  get(id: string): Entry | undefined {
    return this.#rows.get(id) ?? (this.#rows.has(id) ? undefined : this.#below()?.get(id));
  }

  /** Number of rows that are replaced or removed here. */
  get size(): number {
    return this.#rows.size;
  }

  ids(): Iterable<string> {
    return this.#rows.keys();
  }

  set(id: string, entry: Entry | undefined): void {
    if (this.#indexes.size > 0) this.#relist(id, entry);
    this.#rows.set(id, entry);
  }

  /** Changes the indexes that were built. */
  #relist(id: string, entry: Entry | undefined): void {
    for (const [index, differences] of this.#indexes) {
      if (this.#rows.has(id)) this.#unlist(index, differences, this.#rows.get(id));
      else this.#hideRow(index, differences, id);
      this.#listEntry(index, differences, entry);
    }
  }

  find(index: string, value: string): Entries {
    const below = this.#below()?.find(index, value) ?? Entries.none;
    const difference = this.#index(index).get(value);
    if (!difference) return below;
    const { added, hidden } = difference;
    const found = [...below].filter(({ id }) => hidden === 0 || !this.#rows.has(id));
    for (const entry of added.values()) found.push(entry);
    if (found.length === 0) return Entries.none;
    return new Entries([added.size > 0 ? found.sort(byBirth) : found]);
  }

  count(index: string, value: string): number {
    const below = this.#below()?.count(index, value) ?? 0;
    const difference = this.#index(index).get(value);
    return difference ? below - difference.hidden + difference.added.size : below;
  }

  held(index: string, value: string): number {
    const below = this.#below()?.held(index, value) ?? 0;
    const difference = this.#index(index).get(value);
    return difference ? below - difference.hiddenBytes + difference.addedBytes : below;
  }

  /** Must be called when the rows below have changed. */
  rowsBelowChanged(): void {
    if (this.#indexes.size > 0) this.#indexes.clear();
  }

  #index(index: string): Map<string, Difference> {
    let differences = this.#indexes.get(index);
    if (!differences) {
      this.#indexes.set(index, (differences = new Map()));
      for (const [id, entry] of this.#rows) {
        this.#hideRow(index, differences, id);
        this.#listEntry(index, differences, entry);
      }
    }
    return differences;
  }

  #hideRow(index: string, differences: Map<string, Difference>, id: string): void {
    const below = this.#below()?.get(id);
    if (!below) return;
    for (const value of indexValues(this.#functions, index, below.doc)) {
      const difference = at(differences, value);
      difference.hidden++;
      difference.hiddenBytes += below.size;
    }
  }

  #listEntry(index: string, differences: Map<string, Difference>, entry: Entry | undefined): void {
    if (!entry) return;
    for (const value of indexValues(this.#functions, index, entry.doc)) {
      const difference = at(differences, value);
      difference.added.set(entry.id, entry);
      difference.addedBytes += entry.size;
    }
  }

  #unlist(index: string, differences: Map<string, Difference>, entry: Entry | undefined): void {
    if (!entry) return;
    for (const value of indexValues(this.#functions, index, entry.doc)) {
      const difference = at(differences, value);
      if (difference.added.delete(entry.id)) difference.addedBytes -= entry.size;
    }
  }
}

function at(differences: Map<string, Difference>, value: string): Difference {
  let difference = differences.get(value);
  if (!difference)
    differences.set(value, (difference = { added: new Map(), hidden: 0, hiddenBytes: 0, addedBytes: 0 }));
  return difference;
}
