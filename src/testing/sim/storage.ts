/** Storage in the simulated world: its use by charms, and violations of its rules. */
import type { LocalState } from '../../core/unit/local-state.ts';
import type { Entities } from '../../core/kinds.ts';
import type { StorageDoc, StorageEnding } from '../../core/storage/document.ts';
import { storageTag } from '../../core/storage/orphans.ts';
import { storageStatus } from '../../core/storage/status.ts';
import { unitApplication } from '../../core/names.ts';
import type { HookContext } from '../../hooks/context.ts';
import type { Change, Commit, Reader } from '../../store/store.ts';
import { contentsAtFirst, type VolumeEvent } from './found-volumes.ts';
import type { HookHelp } from '../../forecast/world/behaviour.ts';
import type { World } from './world.ts';

type View = Reader<Entities>;

/** Use of a storage by a hook. */
export interface StorageUse {
  readonly model: string;
  readonly unit: string;
  readonly storage: string;
  /** Content that the hook found; undefined = the storage is not mounted. */
  readonly found: string | undefined;
  readonly written: string;
  /** Instance whose own disk the storage is on; undefined = the cloud holds it. */
  readonly instance: string | undefined;
  /** Name of the cloud's volume. */
  readonly volume: string | undefined;
}

const stateKey = (storage: string): string => `storage ${storage}`;

/** Acts as a hook: reads all of the unit's storage, and writes that it was there. */
export function useStorage(
  hook: string,
  context: HookContext,
  help: HookHelp,
  onUse: (use: StorageUse) => void,
): void {
  const { unit, model, changes } = context;
  // Actions and exec run meanwhile; on a new instance, storage that the charm knows from the old one is attached again.
  const mayLack =
    context.event.action !== undefined ||
    context.event.name === 'juju-exec' ||
    hook.endsWith('-storage-attached');
  for (const { id, location } of context.storages()) {
    // Whether the storage was mounted before, and is not any more.
    const isAway = location === undefined && context.charmState()[stateKey(id)]?.endsWith('-attached');
    if (location === undefined && (!isAway || mayLack)) continue;
    const written = `${unit} ${hook} ${help.random()}`;
    const contents = location === undefined ? undefined : help.storage(id, location);
    onUse({
      model: model.uuid,
      unit,
      storage: id,
      found: contents?.text,
      written,
      instance: contents?.instance,
      volume: contents?.volume,
    });
    if (contents) contents.text = written;
  }
  const { storage } = context.event;
  if (storage !== undefined) changes.charmState.set.set(stateKey(storage), hook);
}

/** Checks that no data are lost that no operator wanted to lose, and that no volume is taken from under a charm. */
export class StorageJudge {
  readonly #world: World;
  /** Data that was written last, by the volume's name, or by model, storage and instance. */
  readonly #written = new Map<string, string>();
  /** Requested end of the data of storage that is gone, by model and id. */
  readonly #ended = new Map<string, StorageEnding>();
  /** Models, applications, units and storage whose data an operator asked to destroy or release. */
  readonly #given = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    world.onCommit((commit) => this.#commit(commit));
    world.onVolume((event) => this.#volume(event));
  }

  /** Records that an operator asks for the end of data: `unit db/0`, `application db`, `storage data/0`, `model`. */
  gives(model: string, what: string): void {
    this.#given.add(`${model} ${what}`);
  }

  uses({ model, unit, storage, found, written, instance, volume }: StorageUse): void {
    const view = this.#world.controller.read().in(model);
    const doc = view.get('unit', unit);
    const key = volume ?? `${model} ${storage} ${instance ?? ''}`;
    const before = this.#written.get(key) ?? (volume && contentsAtFirst(volume));
    if (found !== undefined) this.#written.set(key, written);
    // The agent of a unit that was removed by force may go on for a while.
    const attachment = view.get('storage', storage)?.attachment;
    if (!doc || doc.force || attachment?.unit !== unit) return;
    // Storage that is being removed is not waited for.
    if (found === undefined && (doc.life !== 'alive' || attachment.life !== 'alive')) return;
    if (found === undefined)
      this.#world.fail(`a hook of unit ${unit} runs while its storage ${storage} is not mounted`);
    else if (before !== undefined && found !== before)
      this.#world.fail(`storage ${storage} has lost its data: "${before}" is "${found}" for unit ${unit}`);
  }

  #commit({ changes }: Commit<Entities>): void {
    for (const { space, kind, before, after } of changes as readonly Change<Entities>[]) {
      if (kind !== 'storage') continue;
      const [was, is] = [before, after] as (StorageDoc | undefined)[];
      if (!was?.detachable) continue;
      this.#letGo(space, was, is);
      if (!is && was.ending) this.#ended.set(`${space} ${was.id}`, was.ending);
      if (was.adopting !== undefined && is?.ending === 'destroy' && !this.#isGiven(space, was))
        this.#world.fail(`storage ${was.id} is destroyed, which could not be imported`);
      if (!was.made) continue;
      if (!was.ending && (!is || is.ending) && !this.#isGiven(space, was))
        this.#world.fail(`storage ${was.id} ends, and nobody asked for that`);
    }
  }

  /** Checks that the cloud has let go what the record lets go: the instance, and with the record the volume. */
  #letGo(model: string, was: StorageDoc, is: StorageDoc | undefined): void {
    const { cloud, faults } = this.#world;
    // A call that hangs may be carried out between the controller's look at the cloud and its commit.
    if (faults.counts['volume-hung'] > 0) return;
    const { id, instance, made } = was;
    const volume = cloud
      .volumes()
      .find(
        (one) => one.modelUuid === model && (made ? one.id === made.providerId : one.tags[storageTag] === id),
      );
    if (!volume) return;
    if (!is) this.#world.fail(`storage ${id} is gone before its volume ${volume.id}`);
    const isThere = cloud.instances().some((one) => one.id === instance);
    if (isThere && volume.attachedTo === instance && is?.instance !== instance)
      this.#world.fail(`storage ${id} has left instance ${instance}, which still has its volume`);
  }

  #isGiven(model: string, { id, attachment }: StorageDoc): boolean {
    const unit = attachment?.unit ?? '';
    return [`storage ${id}`, `unit ${unit}`, `application ${unitApplication(unit)}`, 'model'].some((what) =>
      this.#given.has(`${model} ${what}`),
    );
  }

  #volume({ volume, how, inUse }: VolumeEvent): void {
    const { id, modelUuid, tags } = volume;
    if (inUse) this.#world.fail(`volume ${id} of model ${modelUuid} was ${how} while it was mounted`);
    if (how === 'detached') return;
    const storage = tags[storageTag] ?? '';
    const doc = this.#world.controller.read().in(modelUuid).get('storage', storage);
    // Volumes whose creation was not recorded end with a record that has gone no further.
    const ending = doc ? doc.ending : this.#ended.get(`${modelUuid} ${storage}`);
    const wanted = ending === 'release' ? 'released' : 'destroyed';
    if (how !== wanted) this.#world.fail(`volume ${id} of storage ${storage} was ${how}, not ${wanted}`);
    else if (!ending) this.#world.fail(`volume ${id} of storage ${storage} was ${how} too early`);
  }
}

/**
 * Yields sentences about storage that is not as it should be in the end, and about units that do not know their
 * storage.
 */
export function* storageIn(view: View, where: string, skipped: (unit: string) => boolean): Iterable<string> {
  for (const doc of view.list('storage')) {
    const { id, attachment } = doc;
    const { status, message } = storageStatus(doc);
    const unit = attachment && view.get('unit', attachment.unit);
    if (unit?.unplaced) continue;
    if (status !== (attachment ? 'attached' : 'detached'))
      yield `storage ${id} ${where} is ${status}${message && ` (${message})`}`;
    if (!attachment || skipped(attachment.unit)) continue;
    const agent = view.get('unit-state', attachment.unit)?.agent as Partial<LocalState> | undefined;
    if (!agent?.storage?.includes(id)) yield `unit ${attachment.unit} ${where} was not told of storage ${id}`;
  }
  for (const { unit, agent } of view.list('unit-state'))
    for (const id of (agent as Partial<LocalState> | undefined)?.storage ?? [])
      if (view.get('storage', id)?.attachment?.unit !== unit && !skipped(unit))
        yield `unit ${unit} ${where} was not told that storage ${id} is gone`;
}

/**
 * Yields sentences about volumes without a record, records without their volume, and mounts of storage that is
 * elsewhere.
 */
export function* volumesIn({
  controller,
  cloud,
  machines,
}: Pick<World, 'controller' | 'cloud' | 'machines'>): Iterable<string> {
  const root = controller.read();
  const volumes = cloud.volumes();
  for (const { id, modelUuid, tags } of volumes) {
    const doc = root.in(modelUuid).get('storage', tags[storageTag] ?? '');
    if (!doc || (doc.made && doc.made.providerId !== id))
      yield `volume ${id} of storage ${tags[storageTag]} is an orphan`;
  }
  for (const { uuid } of root.list('model'))
    for (const { id, made, detachable } of root.in(uuid).list('storage'))
      if (detachable && made && !volumes.some((one) => one.modelUuid === uuid && one.id === made.providerId))
        yield `storage ${id} has lost its volume ${made.providerId}`;
  for (const machine of machines) {
    const { id, model, state } = machine;
    if (state !== 'running' || !root.in(model).get('machine', id)) continue;
    for (const storage of machine.mounts())
      if (root.in(model).get('storage', storage)?.machine !== id)
        yield `machine ${id} still has storage ${storage} mounted`;
  }
}
