import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Change, Commit, Reader, Store } from '../../store/store.ts';
import type { Delta } from '../../wire/facades/all-watcher.ts';
import type { Watcher } from '../facade.ts';
import type { Services } from '../services.ts';
import { isProgress } from './task-progress.ts';
import { changeDelta, removeDelta, shownKinds, type DeltaKind, type DeltaScope } from './deltas/delta.ts';

/** A frame of so many stays below the 4 MiB that python receives. */
const deltasMax = 1500;
const deltaBytesMax = 2 * 1024 * 1024;

/** What has changed and has not been told. */
interface Dirty {
  readonly kind: DeltaKind;
  readonly id: string;
  /** Whether the client may know it: what came and went between two answers is not told at all. */
  readonly known: boolean;
  /** Of a removed relation: its key. */
  label: string;
}

/**
 * AllWatcher over one model (wire.md#all-watcher): the whole state at first, in pieces where it is large, then what has
 * changed since the last answer, once for each entity however often it changed. Kept for a slow client are the names of
 * what changed, not copies of it.
 */
export function createAllWatcher(
  store: Store<Entities>,
  modelUuid: string,
  services: Pick<Services, 'presence' | 'providers' | 'version'>,
): Watcher & { next(): Promise<{ deltas: Delta[] }> } {
  const scope = (reader: Reader<Entities>): DeltaScope => ({ reader, modelUuid, services });
  const dirty = new Map<string, Dirty>();
  /** Applications whose units wait for something else than the client was told. */
  const waitingOtherwise = new Set<string>();
  let initial: Iterator<Name> | undefined = everything(store.read().in(modelUuid), modelUuid);
  /** While the whole state is being told: what of it has been. */
  let told: Set<string> | undefined = new Set();
  let waiting: (() => void)[] = [];
  let stopped = false;

  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  const mark = (kind: DeltaKind, id: string, known: () => boolean, label = ''): void => {
    const key = `${kind} ${id}`;
    const entry = dirty.get(key);
    if (entry) entry.label ||= label;
    else dirty.set(key, { kind, id, known: told ? told.has(key) : known(), label });
  };
  const markUnitsOf = (reader: Reader<Entities>, machine: string): void => {
    for (const unit of reader.find('unit', 'machine', machine)) mark('unit', unit.name, () => true);
  };
  /** Only when they are told: they may be many, and whatever else happened to one of them is noted already. */
  const markUnplaced = (reader: Reader<Entities>): void => {
    for (const application of waitingOtherwise)
      for (const unit of reader.find('unit', 'unplaced', application)) mark('unit', unit.name, () => true);
    waitingOtherwise.clear();
  };

  const onCommit = (commit: Commit<Entities>): void => {
    const changes = commit.changes.filter(
      (change) =>
        (change.space === modelUuid && !(change.kind === 'task' && isProgress(change))) ||
        (change.space === '' && change.kind === 'model' && change.id === modelUuid),
    );
    if (changes.length === 0) return;
    for (const change of changes) {
      const kind = shownKinds.get(change.kind);
      if (kind) mark(kind, change.id, () => change.before !== undefined, labelOf(change));
    }
    const reader = store.read().in(modelUuid);
    for (const change of changes) {
      if (change.kind === 'machine' && hasMoved(change)) markUnitsOf(reader, change.id);
      if (change.kind === 'application' && waitsForOthers(change)) waitingOtherwise.add(change.id);
      if (change.kind !== 'status') continue;
      const { kind, entity } = (change.after ?? change.before) as Entities['status'];
      const shown = statusOwners[kind];
      if (!shown) continue;
      const id = shown === 'model' ? modelUuid : entity;
      mark(shown, id, () => changeDelta(scope(reader), shown, id) !== undefined);
    }
    if (dirty.size > 0) wake();
  };

  const stopStore = store.watch(onCommit);
  const stopPresence = services.presence.watch((model, machine) => {
    if (model !== modelUuid) return;
    const reader = store.read().in(modelUuid);
    if (!reader.get('machine', machine)) return;
    mark('machine', machine, () => true);
    markUnitsOf(reader, machine);
    wake();
  });

  /** The next piece, or none when there is no news. */
  const take = (): Delta[] => {
    const deltas: Delta[] = [];
    let bytes = 0;
    const add = (delta: Delta): void => {
      deltas.push(delta);
      if (unbounded.has(delta[0])) bytes += JSON.stringify(delta).length;
    };
    const isFull = (): boolean => deltas.length >= deltasMax || bytes >= deltaBytesMax;
    const now = scope(store.read().in(modelUuid));
    while (initial && !isFull()) {
      const { value, done } = initial.next();
      if (done) {
        initial = told = undefined;
        break;
      }
      const delta = changeDelta(now, value.kind, value.id);
      if (!delta) continue;
      const key = `${value.kind} ${value.id}`;
      told?.add(key);
      dirty.delete(key);
      add(delta);
    }
    if (initial || deltas.length > 0) return deltas;
    markUnplaced(now.reader);
    for (const [key, entry] of dirty) {
      if (isFull()) break;
      dirty.delete(key);
      const change = changeDelta(now, entry.kind, entry.id);
      if (change) add(change);
      else if (entry.known) add(removeDelta(now, entry.kind, entry.id, entry.label));
    }
    return deltas;
  };

  return {
    async next() {
      for (;;) {
        if (stopped) throw new JujuError('stopped', 'watcher has been stopped');
        const deltas = take();
        if (deltas.length > 0) return { deltas };
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    stop() {
      if (stopped) return;
      stopped = true;
      initial = told = undefined;
      dirty.clear();
      waitingOtherwise.clear();
      stopStore();
      stopPresence();
      wake();
    },
  };
}

/** Kinds whose size is up to users and charms. */
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

/** All that is shown, in an order in which each entity comes after those that it names. */
function* everything(reader: Reader<Entities>, modelUuid: string): Generator<Name, undefined> {
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

/** Its addresses, which its units show as theirs, are others now. */
function hasMoved({ before, after }: Change<Entities>): boolean {
  const addresses = (doc: unknown): string =>
    JSON.stringify((doc as Entities['machine'] | undefined)?.addresses);
  return addresses(before) !== addresses(after);
}

/** What its units wait for, which they show as their status, is another now. */
function waitsForOthers({ before, after }: Change<Entities>): boolean {
  const pending = (doc: unknown): unknown => (doc as Entities['application'] | undefined)?.pending;
  return pending(before) !== pending(after);
}
