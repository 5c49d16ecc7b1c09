import { Entries } from './entries.ts';
import { EntrySet, type Entry } from './entry-set.ts';
import { IdMap } from './id-map.ts';

/** Index → the value(s) that a document is found by. */
export type IndexFunctions = Readonly<
  Record<string, (doc: object) => string | readonly string[] | undefined>
>;

/** Name of the index that has every document, under the value ''. */
export const everything = '';

/** Documents of one kind in one space. */
export interface Rows {
  get(id: string): Entry | undefined;
  /** Rows in the order of insertion, as they are now. */
  find(index: string, value: string): Entries;
  count(index: string, value: string): number;
  /** Bytes that the documents under an index's value count for. */
  held(index: string, value: string): number;
}

/** Distinct values of a document in an index. */
export function indexValues(functions: IndexFunctions, index: string, doc: object): readonly string[] {
  if (index === everything) return whole;
  const find = functions[index];
  if (!find) throw new Error(`there is no index "${index}"`);
  return each(find(doc));
}

function each(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return none;
  if (typeof value === 'string') return [value];
  return value.length > 1 ? [...new Set(value)] : value;
}

const whole: readonly string[] = Object.freeze(['']);
const none: readonly string[] = Object.freeze([]);

/** Rows held in memory with their secondary indexes. */
export class Table implements Rows {
  readonly #byId = new IdMap<Entry>();
  readonly #all = new EntrySet();
  readonly #indexes = new Map<string, Map<string, EntrySet>>();
  /** The indexes as an array, which is faster to iterate on each put. */
  readonly #indexList: readonly Index[];

  constructor(functions: IndexFunctions) {
    this.#indexList = Object.entries(functions).map(([index, find]) => {
      const sets = new Map<string, EntrySet>();
      this.#indexes.set(index, sets);
      return { name: index, find, sets, held: undefined, lastSet: undefined, lastValue: '' };
    });
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  find(index: string, value: string): Entries {
    return this.#set(index, value)?.list() ?? Entries.none;
  }

  count(index: string, value: string): number {
    return this.#set(index, value)?.size ?? 0;
  }

  /**
   * Bytes that the documents under an index's value count for. O(1) but for the first time that the value is asked for.
   */
  held(index: string, value: string): number {
    const list = this.#indexList.find(({ name }) => name === index);
    if (!list) throw new Error(`there is no index "${index}"`);
    list.held ??= new Map();
    let bytes = list.held.get(value);
    if (bytes === undefined) {
      bytes = 0;
      for (const { size } of this.find(index, value)) bytes += size;
      list.held.set(value, bytes);
    }
    return bytes;
  }

  /** Revision of the last change among the documents under an index's value; 0 when there is no document. */
  changed(index: string, value: string): number {
    const set = this.#set(index, value);
    return set && set.size > 0 ? set.changed : 0;
  }

  /** Puts an entry. `before`: the present entry under its id, passed by the caller to save a lookup per document. */
  put(entry: Entry, before: Entry | undefined, changed: number): void {
    this.#byId.set(entry.id, entry);
    this.#all.set(entry);
    this.#all.changed = changed;
    for (const index of this.#indexList) {
      const newValue = index.find(entry.doc);
      const oldValue = before && index.find(before.doc);
      if (typeof newValue === 'string' && (oldValue === undefined || oldValue === newValue))
        enter(index, newValue, entry, oldValue === undefined ? undefined : before, changed);
      else if (newValue !== undefined || oldValue !== undefined) {
        const values = each(newValue);
        if (before)
          for (const value of each(oldValue))
            if (!values.includes(value)) leave(index, value, before, changed);
        const oldValues = each(oldValue);
        for (const value of values)
          enter(index, value, entry, oldValues.includes(value) ? before : undefined, changed);
      }
    }
  }

  remove(id: string, changed: number): void {
    const before = this.#byId.get(id);
    if (!before) return;
    this.#byId.delete(id);
    this.#all.delete(before);
    this.#all.changed = changed;
    for (const index of this.#indexList)
      for (const value of each(index.find(before.doc))) leave(index, value, before, changed);
  }

  #set(index: string, value: string): EntrySet | undefined {
    if (index === everything) return this.#all;
    const sets = this.#indexes.get(index);
    if (!sets) throw new Error(`there is no index "${index}"`);
    return sets.get(value);
  }
}

interface Index {
  readonly name: string;
  readonly find: IndexFunctions[string];
  readonly sets: Map<string, EntrySet>;
  /** Bytes by value, of the values that were asked for. */
  held: Map<string, number> | undefined;
  /** The set that was entered last, and its value: documents that are put together mostly have the same value. */
  lastSet: EntrySet | undefined;
  lastValue: string;
}

function enter(index: Index, value: string, entry: Entry, before: Entry | undefined, changed: number): void {
  let set = index.lastSet;
  if (!set || index.lastValue !== value) {
    set = index.sets.get(value);
    if (!set) index.sets.set(value, (set = new EntrySet()));
    index.lastSet = set;
    index.lastValue = value;
  }
  set.set(entry);
  set.changed = changed;
  if (index.held) grow(index.held, value, entry.size - (before?.size ?? 0));
}

/** Follows the bytes that a value's documents count for, if they were asked for. */
function grow(held: Map<string, number>, value: string, bytes: number): void {
  const known = held.get(value);
  if (known !== undefined) held.set(value, known + bytes);
}

function leave(index: Index, value: string, entry: Entry, changed: number): void {
  const set = index.sets.get(value);
  if (!set) return;
  set.delete(entry);
  set.changed = changed;
  if (index.held) grow(index.held, value, -entry.size);
  if (set.size > 0) return;
  index.held?.delete(value);
  // An empty set reads like an absent one (revision 0), so it can be deleted.
  index.sets.delete(value);
  if (index.lastSet === set) index.lastSet = undefined;
}
