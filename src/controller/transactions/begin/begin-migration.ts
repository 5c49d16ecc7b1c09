import { JujuError } from '../../../core/errors.ts';
import type { MigrationDoc, Target } from '../../../core/migration/document.ts';
import { attemptOf, isActive } from '../../../core/migration/phases.ts';
import { aliveModel, type Tx, type View } from '../tx.ts';

/**
 * Begins the migration of a model (migration.md#phases); from this commit on nothing in it changes. The model was
 * checked before, and is again now that it stays as it is. Errors: '' while another migration of it is active.
 */
export function beginMigration(root: Tx, model: string, target: Target): MigrationDoc {
  aliveModel(root.in(model));
  const last = root.get('migration', model);
  refuseActive(last);
  if (root.get('arrival', model)?.state === 'adopting')
    throw new JujuError('', 'the machines of the model are still being taken over from another controller');
  const doc: MigrationDoc = {
    model,
    attempt: nextAttempt(root, model),
    phase: 'QUIESCE',
    startedAt: root.now,
    phaseAt: root.now,
    message: 'waiting for the work in progress to end',
    target,
  };
  root.put('migration', model, doc);
  return doc;
}

/**
 * Number of the model's next migration: no controller that the model goes to, or comes back to, has seen it before.
 * `root`: of the controller's space.
 */
export function nextAttempt(root: View, model: string): number {
  const left = root.get('migration', model)?.attempt ?? -1;
  const came = root.get('arrival', model);
  return 1 + Math.max(left, came ? attemptOf(came.migration) : -1);
}

/** Errors: '' for an active migration. */
export function refuseActive(migration: MigrationDoc | undefined): void {
  if (isActive(migration)) throw new JujuError('', 'model migration already in progress');
}
