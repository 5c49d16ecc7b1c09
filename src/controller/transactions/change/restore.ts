/** Restores of backups, in the documents (backups.md#after-a-restore). */
import { JujuError, notFound } from '../../../core/errors.ts';
import { isHeld, type Restored } from '../../../core/model/restored.ts';
import type { Tx } from '../tx.ts';

/** By how much each sequence goes on after a restore, for numbers that were given after the backup. */
const numbersGiven = 1000;
/** Number of volumes that are told by their ids. */
const toldVolumes = 100;

/**
 * Records that the store was restored: its models wait for an operator, and no number is given again. Repeated for the
 * same restore it changes nothing.
 */
export function beginRestore(root: Tx, restore: Omit<Restored, 'state' | 'volumes'>): void {
  const models = [...root.list('model')];
  if (models.some(({ restored }) => restored?.id === restore.id)) return;
  skipNumbers(root);
  for (const model of models) {
    skipNumbers(root.in(model.uuid));
    root.put('model', model.uuid, { ...model, restored: { ...restore, state: 'held' } });
  }
}

function skipNumbers(tx: Tx): void {
  for (const { name, next } of tx.list('sequence'))
    tx.put('sequence', name, { name, next: next + numbersGiven });
}

/**
 * Ends the wait of a model: with `keep`, the states that agents told take the place of those of the backup. Errors: ''
 * when the model waits for nothing, or for another restore.
 */
export function acceptRestore(
  tx: Tx,
  { restore, hooks }: { readonly restore: string; readonly hooks: 'keep' | 'rerun' },
): void {
  const root = tx.in('');
  const model = root.get('model', tx.space);
  if (!model) throw notFound('model', tx.space);
  const { restored } = model;
  if (!restored || !isHeld(model)) throw new JujuError('', `model "${model.name}" waits for no restore`);
  if (restored.id !== restore)
    throw new JujuError('', `model "${model.name}" was restored again: look at its plan once more`);
  for (const state of tx.list('unit-state')) {
    const { newer, ...rest } = state;
    if (newer) tx.put('unit-state', state.unit, hooks === 'keep' ? { ...rest, ...newer } : rest);
  }
  for (const { unknownUnits, ...machine } of tx.list('machine'))
    if (unknownUnits) tx.put('machine', machine.id, machine);
  const { volumes: _, ...rest } = restored;
  root.put('model', model.uuid, { ...model, restored: { ...rest, state: hooks } });
}

/** Records the volumes of the cloud that a restored model does not know. */
export function recordNewerVolumes(tx: Tx, ids: readonly string[]): void {
  const root = tx.in('');
  const model = root.get('model', tx.space);
  if (!model?.restored || !isHeld(model)) return;
  const { volumes: _, ...restored } = model.restored;
  const volumes = { count: ids.length, ids: ids.toSorted().slice(0, toldVolumes) };
  root.put('model', model.uuid, {
    ...model,
    restored: ids.length === 0 ? restored : { ...restored, volumes },
  });
}
