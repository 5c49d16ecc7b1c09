import type { Entry } from './entry-set.ts';
import { Table, type IndexFunctions } from './table.ts';

/** The documents of one space. */
interface Space {
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
  readonly #spaces = new Map<string, Space>();
  /** The table that was looked up last: a change puts thousands of documents of one kind. */
  #last: { readonly space: string; readonly kind: string; readonly table: Table } | undefined;
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
    if (this.#last?.kind === kind && this.#last.space === space) return this.#last.table;
    const table = this.#spaces.get(space)?.tables.get(kind);
    if (table) this.#last = { space, kind, table };
    return table;
  }

  /** Bytes that the documents of a space count for, staged ones included. O(1). */
  bytes(space: string): number {
    return this.#spaces.get(space)?.bytes ?? 0;
  }

  spaces(): string[] {
    return [...this.#spaces.keys()];
  }

  kinds(space: string): string[] {
    return [...(this.#spaces.get(space)?.tables.keys() ?? [])];
  }

  /** Puts an entry. `old`: the entry that it replaces, if any. */
  put(space: string, kind: string, entry: Entry, before: Entry | undefined, changed: number): void {
    this.version++;
    let holder = this.#spaces.get(space);
    if (!holder) {
      this.#spaces.set(space, (holder = { tables: new Map(), bytes: 0 }));
      this.spacesChanged = changed;
    }
    let table = this.table(space, kind);
    if (!table) holder.tables.set(kind, (table = new Table(this.functions(kind))));
    table.put(entry, before, changed);
    holder.bytes += entry.size - (before?.size ?? 0);
  }

  remove(space: string, kind: string, id: string, changed: number): void {
    this.version++;
    const holder = this.#spaces.get(space);
    const table = this.table(space, kind);
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
    this.spacesChanged = changed;
  }
}
