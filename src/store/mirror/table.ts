import { EntrySet, type Entry } from './entry-set.ts';

/** Index → the value(s) that a document is found by. */
export type IndexFunctions = Readonly<
  Record<string, (doc: object) => string | readonly string[] | undefined>
>;

/** The name of the index that every document is in, under the value ''. */
export const everything = '';

/** The documents of one kind in one space. */
export interface Rows {
  get(id: string): Entry | undefined;
  /** In the order of insertion; the list is the caller's. */
  find(index: string, value: string): Entry[];
  count(index: string, value: string): number;
}

/** The values of a document in an index, each once. */
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
  readonly #functions: IndexFunctions;
  readonly #byId = new Map<string, Entry>();
  readonly #all = new EntrySet();
  readonly #indexes = new Map<string, Map<string, EntrySet>>();
  /** The same, as they are gone through for each document that is put. */
  readonly #list: readonly { readonly find: IndexFunctions[string]; readonly sets: Map<string, EntrySet> }[];

  constructor(functions: IndexFunctions) {
    this.#functions = functions;
    this.#list = Object.entries(functions).map(([index, find]) => {
      const sets = new Map<string, EntrySet>();
      this.#indexes.set(index, sets);
      return { find, sets };
    });
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  find(index: string, value: string): Entry[] {
    return this.#set(index, value)?.list() ?? [];
  }

  count(index: string, value: string): number {
    return this.#set(index, value)?.size ?? 0;
  }

  /** Revision of the last change among the documents under an index's value; 0 when there is no document. */
  changed(index: string, value: string): number {
    const set = this.#set(index, value);
    return set && set.size > 0 ? set.changed : 0;
  }

  /** `old`: what is there under the entry's id. The caller knows, and with many documents each look is felt. */
  put(entry: Entry, old: Entry | undefined, changed: number): void {
    this.#byId.set(entry.id, entry);
    this.#all.set(entry);
    this.#all.changed = changed;
    for (const { find, sets } of this.#list) {
      const is = find(entry.doc);
      const was = old && find(old.doc);
      if (typeof is === 'string' && (was === undefined || was === is)) enter(sets, is, entry, changed);
      else if (is !== undefined || was !== undefined) {
        const values = each(is);
        if (old) for (const value of each(was)) if (!values.includes(value)) leave(sets, value, old, changed);
        for (const value of values) enter(sets, value, entry, changed);
      }
    }
  }

  remove(id: string, changed: number): void {
    const old = this.#byId.get(id);
    if (!old) return;
    this.#byId.delete(id);
    this.#all.delete(old);
    this.#all.changed = changed;
    for (const [index, sets] of this.#indexes) {
      for (const value of indexValues(this.#functions, index, old.doc)) leave(sets, value, old, changed);
    }
  }

  #set(index: string, value: string): EntrySet | undefined {
    if (index === everything) return this.#all;
    const sets = this.#indexes.get(index);
    if (!sets) throw new Error(`there is no index "${index}"`);
    return sets.get(value);
  }
}

function enter(sets: Map<string, EntrySet>, value: string, entry: Entry, changed: number): void {
  let set = sets.get(value);
  if (!set) sets.set(value, (set = new EntrySet()));
  set.set(entry);
  set.changed = changed;
}

function leave(sets: Map<string, EntrySet>, value: string, entry: Entry, changed: number): void {
  const set = sets.get(value);
  if (!set) return;
  set.delete(entry);
  set.changed = changed;
  // An empty set and no set read alike: revision 0. So nothing is lost with it.
  if (set.size === 0) sets.delete(value);
}
