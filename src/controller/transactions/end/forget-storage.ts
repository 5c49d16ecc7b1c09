/** Storage of a machine that goes, or gets another instance: what was on it is lost, what the cloud holds stays. */
import { defined } from '../../../core/defined.ts';
import type { StorageDoc } from '../../../core/storage/document.ts';
import type { Tx } from '../tx.ts';

/**
 * Called when the machine's record is removed. Volumes are detached from its instance afterwards, since that may stay:
 * with --keep-instance, or by the model's provisioner-harvest-mode.
 */
export function forgetStorageOn(tx: Tx, machine: string): void {
  for (const doc of tx.find('storage', 'machine', machine)) {
    const { instance } = doc;
    if (doc.detachable) tx.put('storage', doc.id, { ...withoutMachine(tx, doc), ...defined({ instance }) });
    else tx.remove('storage', doc.id);
  }
}

/** Called when the machine gets another instance: its storage is made and mounted again. */
export function resetStorageOn(tx: Tx, machine: string): void {
  for (const doc of tx.find('storage', 'machine', machine)) {
    const { made: _made, mounted: _mounted, instance: _instance, attached: _attached, ...rest } = doc;
    tx.put('storage', doc.id, doc.detachable && doc.made ? { ...rest, made: doc.made } : rest);
  }
}

/** The storage on no machine. */
export function withoutMachine(tx: Tx, doc: StorageDoc): StorageDoc {
  const {
    machine: _machine,
    instance: _instance,
    attached: _attached,
    mounted: _mounted,
    problem: _problem,
    ...rest
  } = doc;
  return { ...rest, since: tx.now };
}
