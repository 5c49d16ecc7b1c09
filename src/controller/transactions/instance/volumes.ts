/**
 * Records of the cloud's volumes that the storage worker makes, attaches and ends: each intent is durable before its
 * call.
 */
import { defined } from '../../../core/defined.ts';
import { cut, limits } from '../../../core/limits.ts';
import type { Retry } from '../../../core/retry.ts';
import { isReady, withoutProblem, withProblem } from '../../../core/storage/plan.ts';
import { settleStorage } from '../end/detach-storage.ts';
import type { Tx } from '../tx.ts';

/** Records a created volume. `lack`: what it lacks, for its users. */
export function volumeCreated(
  tx: Tx,
  args: { storage: string; providerId: string; size: number; lack?: string | undefined },
): void {
  const { providerId, size } = args;
  const lack = args.lack === undefined ? undefined : cut(limits.statusMessage, args.lack);
  const doc = tx.get('storage', args.storage);
  if (!doc || doc.made) return;
  const { adopting, ...rest } = withoutProblem(doc);
  tx.put('storage', doc.id, {
    ...rest,
    ...(adopting !== undefined && { size }),
    made: { providerId, size, ...defined({ lack }) },
    since: tx.now,
  });
}

/** Records the instance that the volume is about to be attached to. False when it is not to be attached any more. */
export function prepareAttach(tx: Tx, args: { storage: string; instance: string }): boolean {
  const doc = tx.get('storage', args.storage);
  if (doc?.attachment?.life !== 'alive' || doc.machine === undefined || !doc.made) return false;
  const machine = tx.get('machine', doc.machine);
  if (machine?.life === 'dead' || machine?.instance?.id !== args.instance) return false;
  if (doc.instance === undefined) tx.put('storage', doc.id, { ...doc, instance: args.instance });
  return doc.instance === undefined || doc.instance === args.instance;
}

export function volumeAttached(tx: Tx, args: { storage: string; instance: string }): void {
  const doc = tx.get('storage', args.storage);
  if (doc?.instance !== args.instance || isReady(doc)) return;
  tx.put('storage', doc.id, { ...withoutProblem(doc), attached: true, since: tx.now });
}

export function volumeDetached(tx: Tx, args: { storage: string; instance: string | undefined }): void {
  const doc = tx.get('storage', args.storage);
  if (!doc || doc.attachment || doc.instance !== args.instance) return;
  const { instance: _, attached: _attached, ...rest } = withoutProblem(doc);
  settleStorage(tx, { ...rest, since: tx.now });
}

/** Records that the volume is destroyed, or released. */
export function volumeEnded(tx: Tx, storage: string): void {
  const doc = tx.get('storage', storage);
  if (doc?.ending && !doc.attachment) tx.remove('storage', storage);
}

/** Records a volume's problem. A failed import is over: what the cloud may have given the model is released. */
export function volumeFailed(tx: Tx, args: { storage: string; message: string; retry: Retry }): void {
  const doc = tx.get('storage', args.storage);
  if (!doc) return;
  const isImport = doc.adopting !== undefined && !doc.ending;
  const failed = withProblem(doc, isImport ? { message: args.message } : args, tx.now);
  if (failed) tx.put('storage', doc.id, isImport ? { ...failed, ending: 'release' } : failed);
}
