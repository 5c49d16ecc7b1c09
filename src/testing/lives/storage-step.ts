/**
 * The storage worker's steps in a cloud that refuses steps which would damage data, with one volume that existed before
 * the model.
 */
import { nextCloudStep, type CloudStep } from '../../core/storage/plan.ts';
import type { StorageDoc } from '../../core/storage/document.ts';
import { settleStorage } from '../../controller/transactions/end/detach-storage.ts';
import {
  prepareAttach,
  volumeAttached,
  volumeCreated,
  volumeDetached,
  volumeEnded,
  volumeFailed,
} from '../../controller/transactions/instance/volumes.ts';
import type { Tx, View } from '../../controller/transactions/tx.ts';

/** Id of the volume that is in the cloud before the model, and its key while no storage has it. */
export const foundVolume = 'found';

type Volumes = ReadonlyMap<string, string>;
interface Cloud {
  readonly view: View;
  readonly state: { readonly volumes: Volumes; readonly instances: ReadonlySet<string> };
  change<T>(fn: (tx: Tx) => T): T;
}

/**
 * Carries out the next step of a storage's volume; without `recorded`, as by a worker that dies before it writes the
 * result down. Returns the cloud's volumes. Errors: plain Error for a step that a cloud would refuse.
 */
export function storageStep(world: Cloud, id: string, recorded: boolean): Volumes {
  const { view, state } = world;
  const doc = view.get('storage', id);
  const machine = doc?.machine === undefined ? undefined : view.get('machine', doc.machine);
  const instance = machine?.life === 'dead' ? undefined : machine?.instance?.id;
  const step = doc && nextCloudStep(doc, instance);
  if (!step) return state.volumes;
  const to = instance?.slice('i-'.length) ?? '';
  if (step === 'attach' && !world.change((tx) => prepareAttach(tx, { storage: id, instance: `i-${to}` })))
    return state.volumes;
  const volumes = new Map(state.volumes);
  carryOut(volumes, { step, doc, to: state.instances.has(to) ? to : '' });
  const isMissing = step === 'adopt' && !volumes.has(id);
  if (recorded) world.change((tx) => (isMissing ? fail(tx, id) : record(tx, doc, step)));
  // Returning the same map means that nothing has changed.
  const isSame = volumes.size === state.volumes.size && [...volumes].every(hasEntry(state.volumes));
  return isSame ? state.volumes : volumes;
}

function hasEntry(map: Volumes): (entry: readonly [string, string]) => boolean {
  return ([key, value]) => map.get(key) === value;
}

/** Carries out a step. `to`: the machine whose instance gets the volume; '' = the instance is gone. */
function carryOut(
  volumes: Map<string, string>,
  { step, doc, to }: { readonly step: CloudStep; readonly doc: StorageDoc; readonly to: string },
): void {
  const { id } = doc;
  const holder = volumes.get(id) ?? '';
  switch (step) {
    case 'create':
      volumes.set(id, holder);
      return;
    case 'attach':
      if (holder !== '' && holder !== to) throw new Error(`the volume of ${id} is attached to i-${holder}`);
      volumes.set(id, to);
      return;
    case 'detach':
      if (doc.instance === `i-${holder}`) volumes.set(id, '');
      return;
    case 'destroy': {
      const isFound = (doc.adopting ?? doc.made?.providerId) === foundVolume;
      if (holder !== '') throw new Error(`the volume of ${id} is destroyed, which i-${holder} has`);
      if (volumes.delete(id) && isFound && doc.ending === 'release') volumes.set(foundVolume, '');
      return;
    }
    case 'adopt':
      if (!volumes.has(id) && volumes.delete(foundVolume)) volumes.set(id, '');
      return;
    case 'free':
  }
}

function fail(tx: Tx, storage: string): void {
  volumeFailed(tx, { storage, message: 'volume not found', retry: { attempt: 1, at: tx.now } });
}

function record(tx: Tx, { id: storage, instance }: StorageDoc, step: CloudStep): void {
  const now = tx.get('storage', storage);
  switch (step) {
    case 'create':
      return volumeCreated(tx, { storage, providerId: storage, size: 1 });
    case 'attach':
      return volumeAttached(tx, { storage, instance: now?.instance ?? '' });
    case 'detach':
      return volumeDetached(tx, { storage, instance });
    case 'adopt':
      return volumeCreated(tx, { storage, providerId: foundVolume, size: 1 });
    case 'free':
      if (now) settleStorage(tx, now);
      return;
    case 'destroy':
      return volumeEnded(tx, storage);
  }
}
