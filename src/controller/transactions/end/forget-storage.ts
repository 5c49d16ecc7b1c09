/** Storage of a machine that is removed, or gets another instance: data on it is lost, data in the cloud stays. */
import { defined } from '../../../core/defined.ts';
import { withoutProblem } from '../../../core/storage/plan.ts';
import type { StorageDoc } from '../../../core/storage/document.ts';
import type { Tx } from '../tx.ts';

/**
 * Takes storage from a machine whose record is removed. Volumes are detached from its instance later, which may stay:
 * with --keep-instance, or by the model's provisioner-harvest-mode.
 */
export function forgetStorageOn(tx: Tx, machine: string): void {
  for (const doc of tx.find('storage', 'machine', machine)) {
    const { instance } = doc;
    if (doc.detachable) tx.put('storage', doc.id, { ...withoutMachine(tx, doc), ...defined({ instance }) });
    else tx.remove('storage', doc.id);
  }
}

/**
 * Resets the storage of a machine that gets another instance: storage on its own disk is made and mounted again. No
 * volume of the cloud was attached to the earlier instance: such a machine is irreplaceable
 * (machines.md#irreplaceable).
 */
export function resetStorageOn(tx: Tx, machine: string): void {
  resetStorage(tx, tx.find('storage', 'machine', machine));
}

/** Resets the storage of a unit that begins anew: storage on its machine's disk may have gone with it. */
export function resetStorageOf(tx: Tx, unit: string): void {
  resetStorage(tx, tx.find('storage', 'unit', unit));
}

function resetStorage(tx: Tx, docs: Iterable<StorageDoc>): void {
  for (const doc of docs) {
    if (doc.detachable) continue;
    const { made: _made, mounted: _mounted, device: _device, ...rest } = withoutProblem(doc);
    tx.put('storage', doc.id, rest);
  }
}

/** Storage without its machine. */
export function withoutMachine(tx: Tx, doc: StorageDoc): StorageDoc {
  const {
    machine: _machine,
    instance: _instance,
    attached: _attached,
    mounted: _mounted,
    ...rest
  } = withoutProblem(doc);
  return { ...rest, since: tx.now };
}
