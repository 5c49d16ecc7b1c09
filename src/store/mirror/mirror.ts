import type { Entry } from './entry-set.ts';
import { Table, type IndexFunctions } from './table.ts';

/**
 * Every document in memory, by space and kind: the newest staged state. For readers, overlay.ts undoes what is not
 * durable yet.
 */
export class Mirror {
  readonly #indexes: Readonly<Record<string, IndexFunctions | undefined>>;
  readonly #spaces = new Map<string, Map<string, Table>>();
  /** Bytes that the documents of each space count for. */
  readonly #bytes = new Map<string, number>();
  /** Grows with every change: equal versions are equal states. */
  version = 0;
  /** Revision at which a space was last added or emptied. */
  spacesChanged = 0;

  constructor(indexes: Readonly<Record<string, IndexFunctions | undefined>>) {
    this.#indexes = indexes;
  }

  functions(kind: string): IndexFunctions {
    return this.#indexes[kind] ?? {};
  }

  table(space: string, kind: string): Table | undefined {
    return this.#spaces.get(space)?.get(kind);
  }

  /** Bytes that the documents of a space count for, staged ones included. O(1). */
  bytes(space: string): number {
    return this.#bytes.get(space) ?? 0;
  }

  spaces(): string[] {
    return [...this.#spaces.keys()];
  }

  kinds(space: string): string[] {
    return [...(this.#spaces.get(space)?.keys() ?? [])];
  }

  /** Puts an entry. `old`: the entry that it replaces, if any. */
  put(space: string, kind: string, entry: Entry, before: Entry | undefined, changed: number): void {
    this.version++;
    let tables = this.#spaces.get(space);
    if (!tables) {
      this.#spaces.set(space, (tables = new Map()));
      this.spacesChanged = changed;
    }
    let table = tables.get(kind);
    if (!table) tables.set(kind, (table = new Table(this.functions(kind))));
    table.put(entry, before, changed);
    this.#bytes.set(space, this.bytes(space) + entry.size - (before?.size ?? 0));
  }

  remove(space: string, kind: string, id: string, changed: number): void {
    this.version++;
    const tables = this.#spaces.get(space);
    const table = tables?.get(kind);
    if (!tables || !table) return;
    const before = table.get(id);
    if (!before) return;
    table.remove(id, changed);
    this.#bytes.set(space, this.bytes(space) - before.size);
    if (table.count('', '') > 0) return;
    tables.delete(kind);
    if (tables.size > 0) return;
    this.#spaces.delete(space);
    this.#bytes.delete(space);
    this.spacesChanged = changed;
  }
}
