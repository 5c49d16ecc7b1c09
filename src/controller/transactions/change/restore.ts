/** Restores of backups, in the documents (backups.md#after-a-restore). */
import { JujuError, notFound } from '../../../core/errors.ts';
import { isFrozen } from '../../../core/migration/phases.ts';
import { isHeld, type Restored } from '../../../core/model/restored.ts';
import type { Tx } from '../tx.ts';
import { enterPhase } from './advance-migration.ts';
import { holdRestored, skipNumbers } from './hold-restored.ts';

/** By how much each sequence goes on after a restore, for numbers that were given after the backup. */
const numbersGiven = 1000;
/** Number of volumes that are told by their ids. */
const toldVolumes = 100;

/**
 * Records that the store was restored: its models wait for an operator, and no number is given again. Repeated for the
 * same restore it changes nothing. A migration that was under way is given up, unless the target was asked already: it
 * decides whose the model is, which waits from then on if it stays. `earlier`: number of states that may have given
 * numbers since the backup, each its own.
 */
export function beginRestore(root: Tx, restore: Pick<Restored, 'at' | 'backup' | 'id'>, earlier = 0): void {
  const models = [...root.list('model')];
  if (models.some(({ restored }) => restored?.id === restore.id)) return;
  const skipped = numbersGiven * (earlier + 1);
  skipNumbers(root, skipped);
  for (const model of models) {
    const migration = root.get('migration', model.uuid);
    if (migration && isFrozen(migration)) {
      if (migration.asked) {
        // Its space does not change before the target has answered.
        const late = { ...restore, skipped: skipped + (migration.restored?.skipped ?? 0) };
        root.put('migration', model.uuid, { ...migration, restored: late });
        continue;
      }
      enterPhase(root, migration, 'ABORT', 'the controller was restored from a backup');
    }
    holdRestored(root, model.uuid, { ...restore, skipped });
  }
}

/**
 * Records how a model's operator accepts its restore. It waits on, until its units have gone over (`settleUnits`) and
 * `endRestore` is called; the controller does that again after a crash. Errors: '' when the model waits for nothing, or
 * for another restore, or was accepted otherwise.
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
  const { accepting } = restored;
  if (accepting !== undefined && accepting !== hooks)
    throw new JujuError(
      '',
      `the restore of model "${model.name}" is being accepted with --hooks ${accepting}`,
    );
  root.put('model', model.uuid, { ...model, restored: { ...restored, accepting: hooks } });
}

/** Ends the wait of a model whose units have gone over. Does nothing for another. */
export function endRestore(tx: Tx): void {
  const root = tx.in('');
  const model = root.get('model', tx.space);
  if (!model?.restored?.accepting || !isHeld(model)) return;
  const { volumes: _, listed: _listed, accepting, ...rest } = model.restored;
  root.put('model', model.uuid, { ...model, restored: { ...rest, state: accepting } });
}

/** Records that the cloud has named its instances often enough to know which a restored model does not know. */
export function recordListed(tx: Tx): void {
  const root = tx.in('');
  const model = root.get('model', tx.space);
  if (!model?.restored || !isHeld(model) || model.restored.listed) return;
  root.put('model', model.uuid, { ...model, restored: { ...model.restored, listed: true } });
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
