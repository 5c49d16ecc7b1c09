/**
 * A store in plain maps, for tests that go through very many states: a change costs microseconds, and the whole state
 * is a value that can be kept and put back. It knows no past, and a change never meets another one.
 */
import { adoptJson, sameJson } from '../../store/mirror/json.ts';
import type { Change, Commit, Indexes, KindOf, Reader, Store, Transactor } from '../../store/store.ts';

/** Never changed, so that keeping one costs nothing. */
export interface MemoryState {
  readonly revision: number;
  /** `<space>\0<kind>` → the documents, in the order of insertion. */
  readonly tables: ReadonlyMap<string, Table>;
}
type Table = ReadonlyMap<string, Entry>;
interface Entry {
  readonly doc: object;
  readonly revision: number;
}
type Find = (doc: object) => string | readonly string[] | undefined;

interface Options<K> {
  readonly indexes: Indexes<K>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newUuid: () => string;
}

/** What of a store has to do with the present. */
export type PresentStore<K> = Pick<Store<K>, 'read' | 'change' | 'watch'>;

export class MemoryStore<K> implements PresentStore<K> {
  readonly #options: Options<K>;
  readonly #watchers = new Set<(commit: Commit<K>) => void>();
  #state: MemoryState = { revision: 0, tables: new Map() };

  constructor(options: Options<K>) {
    this.#options = options;
  }

  /** Put back, it is as if nothing had happened since; watchers are not told. */
  get state(): MemoryState {
    return this.#state;
  }
  set state(state: MemoryState) {
    this.#state = state;
  }

  read(): Reader<K> {
    return new MemoryReader<K>(this.#options.indexes, () => this.#state, '');
  }

  /** `change`, for what does not wait. */
  changeNow<T>(fn: (tx: Transactor<K>) => T, by: string): T {
    const draft = new Draft(this.#state);
    const now = new Date(this.#options.now()).toISOString();
    const result = fn(new MemoryTransactor<K>(this.#options, draft, now, ''));
    if (!(result instanceof Promise)) this.#commit(draft, now, by);
    return result;
  }

  async change<T>(fn: (tx: Transactor<K>) => T | Promise<T>, by: string): Promise<T> {
    const draft = new Draft(this.#state);
    const now = new Date(this.#options.now()).toISOString();
    const result = await fn(new MemoryTransactor<K>(this.#options, draft, now, ''));
    if (draft.base !== this.#state) throw new Error('two changes at once');
    this.#commit(draft, now, by);
    return result;
  }

  watch(onCommit: (commit: Commit<K>) => void): () => void {
    this.#watchers.add(onCommit);
    return () => void this.#watchers.delete(onCommit);
  }

  #commit(draft: Draft, at: string, by: string): void {
    const after = draft.finish();
    if (!after) return;
    const before = this.#state;
    this.#state = after;
    if (this.#watchers.size === 0) return;
    const changes = [...changesOf(draft, before, after)] as unknown as Change<K>[];
    for (const onCommit of this.#watchers) onCommit({ revision: after.revision, at, by, changes });
  }
}

/** A state being changed: tables are copied when they are first written to. */
class Draft {
  readonly base: MemoryState;
  readonly revision: number;
  /** Table → the ids that were written. */
  readonly written = new Map<string, Set<string>>();
  readonly #own = new Map<string, Map<string, Entry>>();

  constructor(base: MemoryState) {
    this.base = base;
    this.revision = base.revision;
  }

  get tables(): { get(key: string): Table | undefined; keys(): Iterable<string> } {
    return {
      get: (key) => this.#own.get(key) ?? this.base.tables.get(key),
      keys: () => new Set([...this.base.tables.keys(), ...this.#own.keys()]),
    };
  }

  put(key: string, id: string, doc: object): void {
    this.#writable(key, id).set(id, { doc: adoptJson(doc), revision: this.revision + 1 });
  }

  remove(key: string, id: string): void {
    this.#writable(key, id).delete(id);
  }

  /** The state after it; nothing when it is what it was. */
  finish(): MemoryState | undefined {
    let changed = false;
    const tables = new Map(this.base.tables);
    for (const [key, ids] of this.written) {
      const old = this.base.tables.get(key);
      const own = this.#own.get(key);
      if (!own) continue;
      for (const id of ids) {
        const before = old?.get(id);
        const after = own.get(id);
        if (before && after && sameJson(before.doc, after.doc)) own.set(id, before);
        else changed ||= before !== after;
      }
      if (own.size > 0) tables.set(key, own);
      else tables.delete(key);
    }
    return changed ? { revision: this.revision + 1, tables } : undefined;
  }

  #writable(key: string, id: string): Map<string, Entry> {
    let table = this.#own.get(key);
    if (!table) this.#own.set(key, (table = new Map(this.base.tables.get(key))));
    const ids = this.written.get(key);
    if (ids) ids.add(id);
    else this.written.set(key, new Set([id]));
    return table;
  }
}

function* changesOf(draft: Draft, before: MemoryState, after: MemoryState): Iterable<object> {
  for (const [key, ids] of draft.written) {
    const [space, kind] = key.split('\0');
    for (const id of ids) {
      const old = before.tables.get(key)?.get(id);
      const now = after.tables.get(key)?.get(id);
      if (old !== now) yield { space, kind, id, before: old?.doc, after: now?.doc };
    }
  }
}

interface Source {
  readonly revision: number;
  readonly tables: { get(key: string): Table | undefined; keys(): Iterable<string> };
}

class MemoryReader<K> implements Reader<K> {
  readonly space: string;
  protected readonly indexes: Indexes<K>;
  readonly #source: () => Source;

  constructor(indexes: Indexes<K>, source: () => Source, space: string) {
    this.indexes = indexes;
    this.#source = source;
    this.space = space;
  }

  get revision(): number {
    return this.#source().revision;
  }

  get<P extends KindOf<K>>(kind: P, id: string): K[P] | undefined {
    return this.#table(kind)?.get(id)?.doc as K[P] | undefined;
  }

  revisionOf(kind: KindOf<K>, id: string): number {
    return this.#table(kind)?.get(id)?.revision ?? 0;
  }

  list<P extends KindOf<K>>(kind: P): K[P][] {
    const docs: object[] = [];
    for (const { doc } of this.#table(kind)?.values() ?? []) docs.push(doc);
    return docs as K[P][];
  }

  find<P extends KindOf<K>>(kind: P, index: string, value: string): K[P][] {
    const find = (this.indexes[kind] as Readonly<Record<string, Find>> | undefined)?.[index];
    if (!find) throw new Error(`there is no index "${index}"`);
    const docs: object[] = [];
    for (const { doc } of this.#table(kind)?.values() ?? []) {
      const found = find(doc);
      if (found === value || (typeof found === 'object' && found.includes(value))) docs.push(doc);
    }
    return docs as K[P][];
  }

  count(kind: KindOf<K>, index?: string, value = ''): number {
    if (index === undefined) return this.#table(kind)?.size ?? 0;
    return this.find(kind, index, value).length;
  }

  in(space: string): Reader<K> {
    return new MemoryReader<K>(this.indexes, this.#source, space);
  }

  spaces(): Iterable<string> {
    const { tables } = this.#source();
    const filled = [...tables.keys()].filter((key) => (tables.get(key)?.size ?? 0) > 0);
    return new Set(filled.map((key) => key.slice(0, key.indexOf('\0'))));
  }

  #table(kind: string): Table | undefined {
    return this.#source().tables.get(`${this.space}\0${kind}`);
  }
}

class MemoryTransactor<K> extends MemoryReader<K> implements Transactor<K> {
  readonly now: string;
  readonly newUuid: () => string;
  readonly #options: Options<K>;
  readonly #draft: Draft;

  constructor(options: Options<K>, draft: Draft, now: string, space: string) {
    super(options.indexes, () => draft, space);
    this.#options = options;
    this.#draft = draft;
    this.now = now;
    this.newUuid = options.newUuid;
  }

  put<P extends KindOf<K>>(kind: P, id: string, doc: K[P]): void {
    this.#draft.put(`${this.space}\0${kind}`, id, doc as object);
  }

  remove(kind: KindOf<K>, id: string): void {
    this.#draft.remove(`${this.space}\0${kind}`, id);
  }

  override in(space: string): Transactor<K> {
    return new MemoryTransactor<K>(this.#options, this.#draft, this.now, space);
  }
}
