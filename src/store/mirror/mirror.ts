import type { Entry } from './entry-set.ts';
import { Table, type IndexFunctions } from './table.ts';

/** The documents of one space. */
interface Space {
  readonly name: string;
  readonly tables: Map<string, Table>;
  /** Bytes that the documents count for. */
  bytes: number;
}

/**
 * Every document in memory, by space and kind: the newest staged state. For readers, overlay.ts undoes what is not
 * durable yet.
 */
export class Mirror {
  readonly #indexes: Readonly<Record<string, IndexFunctions | undefined>>;
  readonly #functionLists = new Map<string, readonly IndexFunctions[string][]>();
  readonly #spaces = new Map<string, Space>();
  /** The space that was looked up last, and its table: a change puts thousands of documents of one kind. */
  #lastSpace: Space | undefined;
  #last: { readonly space: Space; readonly kind: string; readonly table: Table } | undefined;
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

  /** The functions of a kind as an array, which is faster to iterate on each put. */
  functionList(kind: string): readonly IndexFunctions[string][] {
    let list = this.#functionLists.get(kind);
    if (!list) this.#functionLists.set(kind, (list = Object.values(this.functions(kind))));
    return list;
  }

  table(space: string, kind: string): Table | undefined {
    const holder = this.#space(space);
    return holder && this.#tableIn(holder, kind);
  }

  #space(name: string): Space | undefined {
    if (this.#lastSpace?.name !== name) this.#lastSpace = this.#spaces.get(name);
    return this.#lastSpace;
  }

  #tableIn(space: Space, kind: string): Table | undefined {
    if (this.#last?.kind === kind && this.#last.space === space) return this.#last.table;
    const table = space.tables.get(kind);
    if (table) this.#last = { space, kind, table };
    return table;
  }

  /** Bytes that the documents of a space count for, staged ones included. O(1). */
  bytes(space: string): number {
    return this.#space(space)?.bytes ?? 0;
  }

  /** Bytes that a document counts for, or those under an index's value; 0 when there is none. */
  bytesOf(space: string, of: { kind: string } & ({ id: string } | { index: string; value: string })): number {
    const table = this.table(space, of.kind);
    return ('id' in of ? table?.get(of.id)?.size : table?.held(of.index, of.value)) ?? 0;
  }

  spaces(): string[] {
    return [...this.#spaces.keys()];
  }

  kinds(space: string): string[] {
    return [...(this.#spaces.get(space)?.tables.keys() ?? [])];
  }

  /** Puts an entry. `before`: the entry that it replaces, if any. */
  put(space: string, kind: string, entry: Entry, before: Entry | undefined, changed: number): void {
    this.version++;
    let holder = this.#space(space);
    if (!holder) {
      this.#spaces.set(space, (holder = { name: space, tables: new Map(), bytes: 0 }));
      this.spacesChanged = changed;
    }
    let table = this.#tableIn(holder, kind);
    if (!table) holder.tables.set(kind, (table = new Table(this.functions(kind))));
    table.put(entry, before, changed);
    holder.bytes += entry.size - (before?.size ?? 0);
  }

  remove(space: string, kind: string, id: string, changed: number): void {
    this.version++;
    const holder = this.#space(space);
    const table = holder && this.#tableIn(holder, kind);
    if (!holder || !table) return;
    const before = table.get(id);
    if (!before) return;
    table.remove(id, changed);
    holder.bytes -= before.size;
    if (table.count('', '') > 0) return;
    this.#last = undefined;
    holder.tables.delete(kind);
    if (holder.tables.size > 0) return;
    this.#spaces.delete(space);
    this.#lastSpace = undefined;
    this.spacesChanged = changed;
  }
}
