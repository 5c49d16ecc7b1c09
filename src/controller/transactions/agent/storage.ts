/** Reports of agents about storage on their machines. A report about storage that is gone changes nothing. */
import { defined } from '../../../core/defined.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { Retry } from '../../../core/retry.ts';
import { volumeName, volumeOf, type StorageDoc } from '../../../core/storage/document.ts';
import { withoutProblem, withProblem } from '../../../core/storage/plan.ts';
import { leaveUnit, settleStorage } from '../end/detach-storage.ts';
import type { Tx } from '../tx.ts';

interface OnMachine {
  readonly machine: string;
  readonly storage: string;
}

export function storageMade(tx: Tx, args: OnMachine & { size: number }): void {
  const doc = onMachine(tx, args);
  if (!doc || doc.made || doc.detachable) return;
  const volume = volumeOf(doc);
  const providerId = volume === undefined ? doc.number : volumeName(volume);
  put(tx, doc, { made: { providerId, size: args.size } });
}

/**
 * Records a mounted storage, also one that was detached meanwhile, so that its agent unmounts it. Errors: `quota limit
 * exceeded`.
 */
export function storageMounted(tx: Tx, args: OnMachine & { path: string; device?: string }): void {
  for (const path of [args.path, args.device ?? '']) checkLimit(limits.storagePath, path.length);
  const doc = onMachine(tx, args);
  if (!doc) return;
  const isKnown = doc.mounted === args.path && doc.device === args.device;
  if (isKnown && doc.problem === undefined) return;
  const { device: _, ...rest } = doc;
  put(tx, rest, { mounted: args.path, ...defined({ device: args.device }) });
}

export function storageUnmounted(tx: Tx, args: OnMachine): void {
  const doc = onMachine(tx, args);
  if (!doc || doc.mounted === undefined) return;
  const { mounted: _, device: _device, ...rest } = withoutProblem(doc);
  settleStorage(tx, { ...rest, since: tx.now });
}

/** Records that the agent has destroyed what held the data. */
export function storageDestroyed(tx: Tx, args: OnMachine): void {
  const doc = onMachine(tx, args);
  if (doc && !doc.detachable && !doc.attachment && doc.ending) tx.remove('storage', doc.id);
}

export function storageFailed(
  tx: Tx,
  args: OnMachine & { message: string; retry?: Retry | undefined },
): void {
  const doc = onMachine(tx, args);
  const failed = doc && withProblem(doc, args, tx.now);
  if (failed) tx.put('storage', failed.id, failed);
}

/** Records that the unit's agent told the charm of the storage's end, or never told it of the storage. */
export function releaseOwnStorage(tx: Tx, args: { unit: string; storage: string }): void {
  const doc = tx.get('storage', args.storage);
  if (doc?.attachment?.unit === args.unit && doc.attachment.life === 'dying') leaveUnit(tx, doc);
}

function onMachine(tx: Tx, { machine, storage }: OnMachine): StorageDoc | undefined {
  const doc = tx.get('storage', storage);
  return doc?.machine === machine ? doc : undefined;
}

function put(tx: Tx, doc: StorageDoc, change: Partial<StorageDoc>): void {
  tx.put('storage', doc.id, { ...withoutProblem(doc), ...change, since: tx.now });
}
