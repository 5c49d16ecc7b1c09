import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Change, Commit, Reader, Store } from '../../store/store.ts';
import type { Delta } from '../../wire/facades/all-watcher.ts';
import type { Watcher } from '../facade.ts';
import type { Services } from '../services.ts';
import { isProgress } from './task-progress.ts';
import { changeDelta, removeDelta, shownKinds, type DeltaKind, type DeltaScope } from './deltas/delta.ts';

/** Maximum number of deltas in a frame, which stays below the 4 MiB that python receives. */
const deltasMax = 1500;
const deltaBytesMax = 2 * 1024 * 1024;

/** Change that has not been told yet. */
interface Dirty {
  readonly kind: DeltaKind;
  readonly id: string;
  /** True when the client may know the entity: one that came and went between two answers is not told at all. */
  readonly known: boolean;
  /** Key of a removed relation. */
  label: string;
}

/**
 * AllWatcher over one model (wire.md#all-watcher): first the whole state, in pieces where it is large, then what has
 * changed since the last answer, once for each entity however often it changed. For a slow client the watcher keeps the
 * names of what changed, not copies of it.
 */
export class AllWatcher implements Watcher {
  readonly #store: Store<Entities>;
  readonly #modelUuid: string;
  readonly #services: Pick<Services, 'presence' | 'providers' | 'version'>;
  readonly #dirty = new Map<string, Dirty>();
  /** Applications whose units wait for something else than the client was told. */
  readonly #changedPending = new Set<string>();
  #initial: Iterator<Name> | undefined;
  /** Entities told so far, while the whole state is being told; undefined afterwards. */
  #sentKeys: Set<string> | undefined = new Set();
  #waiting: (() => void)[] = [];
  #stopped = false;
  readonly #subscriptions: readonly (() => void)[];

  constructor(
    store: Store<Entities>,
    modelUuid: string,
    services: Pick<Services, 'presence' | 'providers' | 'version'>,
  ) {
    this.#store = store;
    this.#modelUuid = modelUuid;
    this.#services = services;
    this.#initial = allNames(this.#read(), modelUuid);
    this.#subscriptions = [
      store.watch((commit) => this.#onCommit(commit)),
      services.presence.watch((model, machine) => {
        if (model === modelUuid) this.#onPresence(machine);
      }),
    ];
  }

  async next(): Promise<{ deltas: Delta[] }> {
    for (;;) {
      if (this.#stopped) throw new JujuError('stopped', 'watcher has been stopped');
      const deltas = this.#takePiece();
      if (deltas.length > 0) return { deltas };
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#initial = this.#sentKeys = undefined;
    this.#dirty.clear();
    this.#changedPending.clear();
    for (const end of this.#subscriptions) end();
    this.#wake();
  }

  #onCommit(commit: Commit<Entities>): void {
    const changes = commit.changes.filter(
      (change) =>
        (change.space === this.#modelUuid && !(change.kind === 'task' && isProgress(change))) ||
        (change.space === '' && change.kind === 'model' && change.id === this.#modelUuid),
    );
    if (changes.length === 0) return;
    for (const change of changes) {
      const kind = shownKinds.get(change.kind);
      if (kind) this.#mark(kind, change.id, () => change.before !== undefined, labelOf(change));
    }
    const reader = this.#read();
    for (const change of changes) this.#markDependents(reader, change);
    if (this.#dirty.size > 0) this.#wake();
  }

  /** Marks entities whose deltas changed because of a change of another entity. */
  #markDependents(reader: Reader<Entities>, change: Change<Entities>): void {
    if (change.kind === 'machine' && hasMoved(change)) this.#markUnitsOf(reader, change.id);
    if (change.kind === 'application' && waitsForOthers(change)) this.#changedPending.add(change.id);
    if (change.kind !== 'status') return;
    const { kind, entity } = (change.after ?? change.before) as Entities['status'];
    const shown = statusOwners[kind];
    if (!shown) return;
    const id = shown === 'model' ? this.#modelUuid : entity;
    this.#mark(shown, id, () => changeDelta(this.#scope(reader), shown, id) !== undefined);
  }

  #onPresence(machine: string): void {
    const reader = this.#read();
    if (!reader.get('machine', machine)) return;
    this.#mark('machine', machine, () => true);
    this.#markUnitsOf(reader, machine);
    this.#wake();
  }

  #mark(kind: DeltaKind, id: string, known: () => boolean, label = ''): void {
    const key = `${kind} ${id}`;
    const entry = this.#dirty.get(key);
    if (entry) entry.label ||= label;
    else this.#dirty.set(key, { kind, id, known: this.#sentKeys ? this.#sentKeys.has(key) : known(), label });
  }

  #markUnitsOf(reader: Reader<Entities>, machine: string): void {
    for (const unit of reader.find('unit', 'machine', machine)) this.#mark('unit', unit.name, () => true);
  }

  /** Marks waiting units when they are told: they may be many, and other changes of them are marked already. */
  #markUnplaced(reader: Reader<Entities>): void {
    for (const application of this.#changedPending)
      for (const unit of reader.find('unit', 'unplaced', application))
        this.#mark('unit', unit.name, () => true);
    this.#changedPending.clear();
  }

  /** Takes the next piece, empty when there is no news. */
  #takePiece(): Delta[] {
    const piece = new Piece();
    const scope = this.#scope(this.#read());
    this.#takeInitial(scope, piece);
    if (!this.#initial && piece.deltas.length === 0) this.#takeDirty(scope, piece);
    return piece.deltas;
  }

  #takeInitial(scope: DeltaScope, piece: Piece): void {
    while (this.#initial && !piece.isFull) {
      const { value, done } = this.#initial.next();
      if (done) {
        this.#initial = this.#sentKeys = undefined;
        return;
      }
      const delta = changeDelta(scope, value.kind, value.id);
      if (!delta) continue;
      const key = `${value.kind} ${value.id}`;
      this.#sentKeys?.add(key);
      this.#dirty.delete(key);
      piece.add(delta);
    }
  }

  #takeDirty(scope: DeltaScope, piece: Piece): void {
    this.#markUnplaced(scope.reader);
    for (const [key, entry] of this.#dirty) {
      if (piece.isFull) return;
      this.#dirty.delete(key);
      const change = changeDelta(scope, entry.kind, entry.id);
      if (change) piece.add(change);
      else if (entry.known) piece.add(removeDelta(scope, entry.kind, entry.id, entry.label));
    }
  }

  #scope(reader: Reader<Entities>): DeltaScope {
    return { reader, modelUuid: this.#modelUuid, services: this.#services };
  }

  #read(): Reader<Entities> {
    return this.#store.read().in(this.#modelUuid);
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Content of one answer. */
class Piece {
  readonly deltas: Delta[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.deltas.length >= deltasMax || this.#bytes >= deltaBytesMax;
  }

  add(delta: Delta): void {
    this.deltas.push(delta);
    if (unbounded.has(delta[0])) this.#bytes += JSON.stringify(delta).length;
  }
}

/** Kinds whose size depends on users and charms. */
const unbounded = new Set(['action', 'annotation', 'application', 'charm', 'model']);

const statusOwners: Readonly<Partial<Record<Entities['status']['kind'], DeltaKind>>> = {
  'unit-agent': 'unit',
  workload: 'unit',
  application: 'application',
  'machine-agent': 'machine',
  instance: 'machine',
  model: 'model',
};

interface Name {
  readonly kind: DeltaKind;
  readonly id: string;
}

/** All entities that are shown, each after those that it names. */
function* allNames(reader: Reader<Entities>, modelUuid: string): Generator<Name, undefined> {
  yield { kind: 'model', id: modelUuid };
  for (const [kind, shown] of shownKinds)
    if (kind !== 'model') for (const doc of reader.list(kind)) yield { kind: shown, id: idOf(doc) };
  return undefined;
}

function idOf(doc: object): string {
  for (const key of ['url', 'tag', 'id', 'name'])
    if (key in doc) return String((doc as Record<string, unknown>)[key]);
  throw new Error('a document without an id');
}

function labelOf({ kind, before, after }: Change<Entities>): string {
  return kind === 'relation' ? ((after ?? before) as Entities['relation']).key : '';
}

/** True when the machine's address changed, which its units show as theirs. */
function hasMoved({ before, after }: Change<Entities>): boolean {
  const addresses = (doc: unknown): string =>
    JSON.stringify((doc as Entities['machine'] | undefined)?.addresses);
  return addresses(before) !== addresses(after);
}

/** True when what the application's units wait for changed, which they show as their status. */
function waitsForOthers({ before, after }: Change<Entities>): boolean {
  const pending = (doc: unknown): unknown => (doc as Entities['application'] | undefined)?.pending;
  return pending(before) !== pending(after);
}
