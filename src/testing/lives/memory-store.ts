/**
 * Store in plain maps, for tests that go through very many states: a change costs microseconds, and the whole state is
 * a value that can be saved and restored. It has no history, and changes never conflict.
 */
import { adoptJson, sameJson } from '../../store/mirror/json.ts';
import type { Change, Commit, Indexes, KindOf, Reader, Store, Transactor } from '../../store/store.ts';

/** Immutable state, which costs nothing to keep. */
export interface MemoryState {
  readonly revision: number;
  /** Space → kind → the documents, in the order of insertion. */
  readonly spaces: Spaces;
}
type Spaces = ReadonlyMap<string, ReadonlyMap<string, Table>>;
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

/** Members of a store that concern the present state. */
export type PresentStore<K> = Pick<Store<K>, 'read' | 'change' | 'watch'>;

export class MemoryStore<K> implements PresentStore<K> {
  readonly #options: Options<K>;
  readonly #watchers = new Set<(commit: Commit<K>) => void>();
  /** A source that always shows the current state. */
  readonly #now: Source;
  #state: MemoryState = { revision: 0, spaces: new Map() };

  constructor(options: Options<K>) {
    this.#options = options;
    const state = (): MemoryState => this.#state;
    this.#now = {
      get revision() {
        return state().revision;
      },
      table: (space, kind) => state().spaces.get(space)?.get(kind),
      spaces: () => spacesOf(state().spaces),
    };
  }

  /** State of the store; setting it restores an earlier one, without calls to watchers. */
  get state(): MemoryState {
    return this.#state;
  }
  set state(state: MemoryState) {
    this.#state = state;
  }

  read(): Reader<K> {
    return new MemoryReader<K>(this.#options.indexes, this.#now, '');
  }

  /** Runs a synchronous `change`. */
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
    this.#state = after;
    if (this.#watchers.size === 0) return;
    const changes = [...draft.changes(after)] as unknown as Change<K>[];
    for (const onCommit of this.#watchers) onCommit({ revision: after.revision, at, by, changes });
  }
}

/** State under change: tables are copied when they are first written to. */
class Draft implements Source {
  readonly base: MemoryState;
  readonly revision: number;
  readonly #copied: { space: string; kind: string; table: Map<string, Entry>; ids: Set<string> }[] = [];

  constructor(base: MemoryState) {
    this.base = base;
    this.revision = base.revision;
  }

  table(space: string, kind: string): Table | undefined {
    return this.#find(space, kind)?.table ?? this.base.spaces.get(space)?.get(kind);
  }

  spaces(): Iterable<string> {
    return spacesOf(this.#merged());
  }

  put(space: string, kind: string, id: string, doc: object): void {
    const table = this.#writable(space, kind, id);
    const old = this.base.spaces.get(space)?.get(kind);
    const returns = old?.has(id) === true && !table.has(id);
    table.set(id, { doc: adoptJson(doc).doc, revision: this.revision + 1 });
    if (returns) inOrderOf(old, table);
  }

  remove(space: string, kind: string, id: string): void {
    this.#writable(space, kind, id).delete(id);
  }

  /** Returns the new state; undefined when nothing changed. */
  finish(): MemoryState | undefined {
    let changed = false;
    for (const { space, kind, table, ids } of this.#copied) {
      const old = this.base.spaces.get(space)?.get(kind);
      for (const id of ids) {
        const before = old?.get(id);
        const after = table.get(id);
        if (before && after && sameJson(before.doc, after.doc)) table.set(id, before);
        else changed ||= before !== after;
      }
    }
    return changed ? { revision: this.revision + 1, spaces: this.#merged() } : undefined;
  }

  *changes(after: MemoryState): Iterable<object> {
    for (const { space, kind, ids } of this.#copied)
      for (const id of ids) {
        const old = this.base.spaces.get(space)?.get(kind)?.get(id);
        const now = after.spaces.get(space)?.get(kind)?.get(id);
        if (old !== now) yield { space, kind, id, before: old?.doc, after: now?.doc };
      }
  }

  #merged(): Spaces {
    const spaces = new Map(this.base.spaces);
    for (const { space, kind, table } of this.#copied) {
      const kinds = new Map(spaces.get(space));
      if (table.size > 0) kinds.set(kind, table);
      else kinds.delete(kind);
      spaces.set(space, kinds);
    }
    return spaces;
  }

  #find(space: string, kind: string): { table: Map<string, Entry>; ids: Set<string> } | undefined {
    for (const one of this.#copied) if (one.kind === kind && one.space === space) return one;
    return undefined;
  }

  #writable(space: string, kind: string, id: string): Map<string, Entry> {
    let own = this.#find(space, kind);
    if (!own) {
      const table = new Map(this.base.spaces.get(space)?.get(kind));
      this.#copied.push({ space, kind, table, ids: new Set() });
      own = this.#copied.at(-1)!;
    }
    own.ids.add(id);
    return own.table;
  }
}

/** Restores the place of documents that a change removed and put again. */
function inOrderOf(old: Table, table: Map<string, Entry>): void {
  const entries = new Map(table);
  table.clear();
  for (const id of [...old.keys(), ...entries.keys()]) {
    const entry = entries.get(id);
    if (entry) table.set(id, entry);
  }
}

function spacesOf(spaces: Spaces): Iterable<string> {
  return [...spaces].filter(([, kinds]) => kinds.size > 0).map(([space]) => space);
}

interface Source {
  readonly revision: number;
  table(space: string, kind: string): Table | undefined;
  spaces(): Iterable<string>;
}

class MemoryReader<K> implements Reader<K> {
  readonly space: string;
  protected readonly indexes: Indexes<K>;
  readonly #source: Source;

  constructor(indexes: Indexes<K>, source: Source, space: string) {
    this.indexes = indexes;
    this.#source = source;
    this.space = space;
  }

  get revision(): number {
    return this.#source.revision;
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
    return this.#source.spaces();
  }

  #table(kind: string): Table | undefined {
    return this.#source.table(this.space, kind);
  }
}

class MemoryTransactor<K> extends MemoryReader<K> implements Transactor<K> {
  readonly now: string;
  readonly newUuid: () => string;
  readonly #options: Options<K>;
  readonly #draft: Draft;

  constructor(options: Options<K>, draft: Draft, now: string, space: string) {
    super(options.indexes, draft, space);
    this.#options = options;
    this.#draft = draft;
    this.now = now;
    this.newUuid = options.newUuid;
  }

  put<P extends KindOf<K>>(kind: P, id: string, doc: K[P]): void {
    this.#draft.put(this.space, kind, id, doc as object);
  }

  remove(kind: KindOf<K>, id: string): void {
    this.#draft.remove(this.space, kind, id);
  }

  override in(space: string): Transactor<K> {
    return new MemoryTransactor<K>(this.#options, this.#draft, this.now, space);
  }
}
