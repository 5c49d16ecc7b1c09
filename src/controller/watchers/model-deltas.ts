import type { Entities } from '../../core/kinds.ts';
import type { Change, Reader, Store } from '../../store/store.ts';
import type { Delta } from '../../wire/facades/all-watcher.ts';
import { isProgress } from './task-progress.ts';
import { changeDelta, removeDelta, shownKinds, type DeltaKind, type DeltaScope } from './deltas/delta.ts';

/** Maximum number of deltas in a frame, which stays below the 4 MiB that python receives. */
const deltasMax = 1500;
const deltaBytesMax = 2 * 1024 * 1024;

/** Parts of the controller that deltas are made of. */
export interface DeltaNeeds {
  readonly store: Store<Entities>;
  readonly services: DeltaScope['services'];
}

/** Change that has not been told yet. */
interface Dirty {
  readonly kind: DeltaKind;
  readonly id: string;
  /** True when the client may know the entity: an entity that came and went in between is never told. */
  readonly known: boolean;
  /** Key of a removed relation, number of a removed block, application of a removed offer. */
  label: string;
}

/**
 * News that a client has to be told of a model (wire.md#all-watcher): first the whole state, then what has changed
 * since the last answer, once for each entity however often it changed. For a slow client the names of what changed are
 * kept, not copies of it.
 */
export class ModelDeltas {
  readonly #needs: DeltaNeeds;
  readonly #modelUuid: string;
  /** Whether offers are told: to admins. */
  readonly #offers: boolean;
  readonly #dirty = new Map<string, Dirty>();
  /** Applications whose units wait for something else than the client was told. */
  readonly #changedPending = new Set<string>();
  #initial: Iterator<Name> | undefined;
  /** Entities told so far, while the whole state is being told; undefined afterwards. */
  #sentKeys: Set<string> | undefined = new Set();

  constructor(needs: DeltaNeeds, modelUuid: string, { offers }: { readonly offers: boolean }) {
    this.#needs = needs;
    this.#modelUuid = modelUuid;
    this.#offers = offers;
    this.#initial = allNames(this.#read(), modelUuid, offers);
  }

  get hasNews(): boolean {
    return this.#initial !== undefined || this.#dirty.size > 0 || this.#changedPending.size > 0;
  }

  /** Notes the changes of one commit that concern the model. */
  onChanges(all: readonly Change<Entities>[]): void {
    const changes = all.filter(
      (change) => !(change.kind === 'task' && isProgress(change)) && !isProxy(change),
    );
    for (const change of changes) {
      const kind = shownKinds.get(change.kind);
      if (kind && (kind !== 'applicationOffer' || this.#offers))
        this.#mark(kind, change.id, () => change.before !== undefined, labelOf(change));
    }
    const reader = this.#read();
    for (const change of changes) this.#markDependents(reader, change);
  }

  /** Notes that a machine's agent connected or disconnected. */
  onPresence(machine: string): void {
    const reader = this.#read();
    if (!reader.get('machine', machine)) return;
    this.#mark('machine', machine, () => true);
    this.#markUnitsOf(reader, machine);
  }

  /** Moves as much into the piece as it has room for. */
  take(piece: Piece): void {
    const scope = this.#scope(this.#read());
    const before = piece.deltas.length;
    this.#takeInitial(scope, piece);
    if (!this.#initial && piece.deltas.length === before) this.#takeDirty(scope, piece);
  }

  /** Marks entities whose deltas changed because of a change of another entity. */
  #markDependents(reader: Reader<Entities>, change: Change<Entities>): void {
    if (change.kind === 'machine' && hasMoved(change)) this.#markUnitsOf(reader, change.id);
    if (change.kind === 'application' && waitsForOthers(change)) this.#changedPending.add(change.id);
    if (this.#offers) this.#markOfferOf(reader, change);
    if (change.kind !== 'status') return;
    const { kind, entity } = (change.after ?? change.before) as Entities['status'];
    const shown = statusOwners[kind];
    if (!shown) return;
    const id = shown === 'model' ? this.#modelUuid : entity;
    this.#mark(shown, id, () => changeDelta(this.#scope(reader), shown, id) !== undefined);
  }

  /** Marks the offer by which a relation is made, when the number of its connections may have changed. */
  #markOfferOf(reader: Reader<Entities>, { kind, before, after }: Change<Entities>): void {
    let relation: Entities['relation'] | undefined;
    if (kind === 'relation') relation = (after ?? before) as Entities['relation'];
    else if (kind === 'status') {
      const status = (after ?? before) as Entities['status'];
      if (status.kind === 'relation') relation = reader.get('relation', status.entity);
    } else if (kind === 'scope' && !(before && after)) {
      const { relation: id } = (after ?? before) as Entities['scope'];
      // Only the first unit to enter and the last to leave make a difference.
      if (reader.count('scope', 'relation', id) <= 1) relation = reader.get('relation', id);
    }
    const { offer } = relation?.remote?.offered ?? {};
    if (offer !== undefined && reader.get('offer', offer)) this.#mark('applicationOffer', offer, () => true);
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

  /** Marks waiting units only when an answer is made: they may be many, and their other changes are marked already. */
  #markUnplaced(reader: Reader<Entities>): void {
    for (const application of this.#changedPending)
      for (const unit of reader.find('unit', 'unplaced', application))
        this.#mark('unit', unit.name, () => true);
    this.#changedPending.clear();
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
    return { reader, modelUuid: this.#modelUuid, services: this.#needs.services };
  }

  #read(): Reader<Entities> {
    return this.#needs.store.read().in(this.#modelUuid);
  }
}

/** Returns the changes of a commit by the model that they concern. */
export function changesByModel(changes: readonly Change<Entities>[]): Map<string, Change<Entities>[]> {
  const byModel = new Map<string, Change<Entities>[]>();
  for (const change of changes) {
    const model = modelOf(change);
    if (model === '') continue;
    const ofModel = byModel.get(model);
    if (ofModel) ofModel.push(change);
    else byModel.set(model, [change]);
  }
  return byModel;
}

/** UUID of the model that a change concerns; '' = a change of the controller's own. */
export function modelOf({ space, kind, id }: Change<Entities>): string {
  return space === '' && kind === 'model' ? id : space;
}

/** Content of one answer. */
export class Piece {
  readonly deltas: Delta[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.deltas.length >= deltasMax || this.#bytes >= deltaBytesMax;
  }

  /** Answer of the watcher; undefined when there is nothing to tell. */
  get news(): { deltas: Delta[] } | undefined {
    return this.deltas.length > 0 ? { deltas: this.deltas } : undefined;
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

/** All entities that are shown, each after the entities that it names. */
function* allNames(reader: Reader<Entities>, modelUuid: string, offers: boolean): Generator<Name, undefined> {
  yield { kind: 'model', id: modelUuid };
  for (const [kind, shown] of shownKinds)
    if (kind !== 'model' && (kind !== 'offer' || offers))
      for (const doc of reader.list(kind)) yield { kind: shown, id: idOf(doc) };
  return undefined;
}

function idOf(doc: object): string {
  for (const key of ['url', 'tag', 'id', 'name', 'type'])
    if (key in doc) return String((doc as Record<string, unknown>)[key]);
  throw new Error('a document without an id');
}

/** Whether the change is one of a consumer's proxy, which no client hears of. */
function isProxy({ kind, before, after }: Change<Entities>): boolean {
  return kind === 'remote-application' && !((after ?? before) as Entities['remote-application']).saas;
}

function labelOf({ kind, before, after }: Change<Entities>): string {
  if (kind === 'relation') return ((after ?? before) as Entities['relation']).key;
  if (kind === 'offer') return ((after ?? before) as Entities['offer']).application;
  return kind === 'block' ? String(((after ?? before) as Entities['block']).number) : '';
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
