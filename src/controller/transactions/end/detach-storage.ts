/**
 * Ends of storage, which is detached from its unit, then from its machine, then destroyed or released
 * (storage.md#ends).
 */
import { JujuError } from '../../../core/errors.ts';
import type { StorageDoc, StorageEnding } from '../../../core/storage/document.ts';
import { checkMayDetach } from '../../../core/storage/rules.ts';
import { isReady, withoutProblem } from '../../../core/storage/plan.ts';
import type { StorageProvider } from '../../../core/storage/providers.ts';
import { mustGetStorage, specOf } from '../begin/add-storage.ts';
import { withoutMachine } from './forget-storage.ts';
import { releaseMachine } from './remove-machine.ts';
import { mustGet, type Tx, type View } from '../tx.ts';

/** Detaches a unit's storage: the agent runs the detaching hooks; storage that cannot outlive the unit is dying. */
export function endStorageOf(tx: Tx, unit: string, destroy: boolean): void {
  for (const doc of tx.find('storage', 'unit', unit)) {
    const ended = destroy || !doc.detachable ? ending(doc) : doc;
    if (doc.attachment)
      tx.put('storage', doc.id, {
        ...ended,
        attachment: { ...doc.attachment, life: 'dying' },
        since: doc.attachment.life === 'dying' ? doc.since : tx.now,
      });
  }
}

/**
 * detach-storage. The unit's agent runs the hook, or releases storage that the charm was never told of; nothing happens
 * to storage that no unit uses. `unit`: absent for whichever unit uses it. Errors: `not found`; `not valid` below the
 * charm's minimum, except with force.
 */
export function detachStorage(tx: Tx, args: { storage: string; unit?: string; force: boolean }): void {
  const doc = mustGetStorage(tx, args.storage);
  const { attachment } = doc;
  if (!attachment && args.unit === undefined) return;
  if (!attachment || (args.unit !== undefined && attachment.unit !== args.unit))
    throw new JujuError('not found', `storage "${doc.id}" is not attached to a unit`);
  const unit = mustGet(tx, 'unit', attachment.unit);
  if (!args.force && unit.life === 'alive' && attachment.life === 'alive')
    checkMayDetach(specOf(tx, unit.charmUrl, doc.name), keptOf(tx, unit.name, doc.name));
  if (!unit.deployed) return leaveUnit(tx, doc);
  if (attachment.life === 'alive')
    tx.put('storage', doc.id, { ...doc, attachment: { ...attachment, life: 'dying' }, since: tx.now });
}

/** Number of storages of this name that the unit keeps: those that are being detached count no more. */
function keptOf(view: View, unit: string, name: string): number {
  let kept = 0;
  for (const doc of view.find('storage', 'unit', unit))
    if (doc.name === name && doc.attachment?.life === 'alive') kept++;
  return kept;
}

/**
 * remove-storage. Errors: `not found`; `storage is attached` without `detach`; `not valid` below the charm's minimum,
 * except with force; `not supported` where the provider cannot release.
 */
export function destroyStorage(
  tx: Tx,
  args: {
    storage: string;
    /** Detaches the storage first. */
    detach: boolean;
    force: boolean;
    /** Keeps the data in the cloud. */
    release: boolean;
    provider: StorageProvider | undefined;
  },
): void {
  const doc = mustGetStorage(tx, args.storage);
  if (args.release && !args.provider?.releasable)
    throw new JujuError(
      'not supported',
      `storage provider "${doc.provider}" does not support releasing storage`,
    );
  if (doc.attachment && !args.detach) throw new JujuError('storage is attached', 'storage is attached');
  const ended = ending(doc, args.release ? 'release' : 'destroy');
  tx.put('storage', doc.id, ended);
  if (doc.attachment) detachStorage(tx, { storage: doc.id, force: args.force });
  else settleStorage(tx, ended);
}

/** Makes storage of a dying model that no unit uses dying. */
export function endDetached(tx: Tx, ids: readonly string[], release: boolean): void {
  for (const id of ids) {
    const doc = tx.get('storage', id);
    if (!doc || doc.attachment || doc.ending) continue;
    settleStorage(tx, ending(doc, release && doc.detachable ? 'release' : 'destroy'));
  }
}

/** Takes the storage from its unit: the detaching hook has run, or the unit ends without it. */
export function leaveUnit(tx: Tx, doc: StorageDoc): void {
  const { attachment, ...left } = withoutProblem(doc);
  const rest = isReady(doc) ? { ...left, mounted: doc.mounted ?? '' } : left;
  const stays = doc.detachable || tx.get('unit', attachment?.unit ?? '')?.life === 'alive';
  settleStorage(tx, { ...(stays ? rest : ending(rest)), since: tx.now });
}

/** Takes the storage from the machine that neither agent nor cloud has put it on, or has taken it from. */
export function settleStorage(tx: Tx, doc: StorageDoc): void {
  const { machine, attachment, mounted, instance, detachable } = doc;
  tx.put('storage', doc.id, doc);
  if (attachment || mounted !== undefined) return;
  if (!detachable && doc.ending && machine === undefined) return tx.remove('storage', doc.id);
  if (!detachable || instance !== undefined || machine === undefined) return;
  tx.put('storage', doc.id, withoutMachine(tx, doc));
  releaseMachine(tx, machine);
}

/** Storage that ends: the way of ending that was requested first counts. */
function ending(doc: StorageDoc, how: StorageEnding = 'destroy'): StorageDoc {
  return { ...doc, ending: doc.ending ?? how };
}
