import { earlier } from '../../../core/life.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { isOpen } from '../../../core/task/document.ts';
import { ended } from '../../../core/task/hidden.ts';
import { JujuError } from '../../../core/errors.ts';
import { impediments } from '../../../core/impediments.ts';
import { placedOn } from '../../../core/placement.ts';
import { leaveUnit } from './detach-storage.ts';
import { forgetOlderCharm } from './forget-older-charm.ts';
import { leaveScope } from './leave-scope.ts';
import { removeApplicationIfUnreferenced } from './remove-application.ts';
import { releaseMachine } from './remove-machine.ts';
import { removeSecretsOf } from '../shared/secrets.ts';
import { removeStatuses, type Tx } from '../tx.ts';

/**
 * Removes the unit's record and all that is its own: its scopes, statuses, state and lease. A dying application goes
 * with its last unit when nothing else refers to it; a machine created for units goes with its last unit, and gets no
 * more time for that than the forced removal.
 */
export function removeUnit(tx: Tx, unit: UnitDoc): void {
  const entity = { kind: 'unit', id: unit.name } as const;
  if (impediments(entity, tx).some(({ kind }) => kind === 'subordinate'))
    throw new JujuError('unit has subordinates', `cannot remove unit "${unit.name}": unit has subordinates`);
  const force = earlier(unit.force, tx.get('application', unit.application)?.force);
  for (const scope of tx.find('scope', 'unit', unit.name))
    leaveScope(tx, { unit: unit.name, relation: scope.relation });
  const lease = tx.get('lease', unit.application);
  if (lease?.holder === unit.name) tx.remove('lease', unit.application);
  for (const task of tx.find('task', 'receiver', unit.name))
    if (isOpen(task))
      tx.put(
        'task',
        task.id,
        ended(task, { status: 'aborted', message: 'unit was removed', completed: tx.now }),
      );
  removeSecretsOf(tx, { kind: 'unit', id: unit.name });
  removeStatuses(tx, unit.name, ['unit-agent', 'workload']);
  tx.remove('unit-state', unit.name);
  tx.remove('unit-resources', unit.name);
  tx.remove('payloads', unit.name);
  tx.remove('annotation', `unit-${unit.name.replace('/', '-')}`);
  tx.remove('unit', unit.name);
  for (const doc of tx.find('storage', 'unit', unit.name)) leaveUnit(tx, doc);
  removeApplicationIfUnreferenced(tx, unit.application);
  forgetOlderCharm(tx, unit);
  if (unit.principal !== undefined) return;
  if (unit.machine !== undefined) releaseMachine(tx, unit.machine, force);
  else releaseAwaiting(tx, unit);
}

/** Releases the machine that a waiting unit was to be placed on: the machine may have stayed for that alone. */
function releaseAwaiting(tx: Tx, { unplaced }: UnitDoc): void {
  const id = unplaced?.placement && placedOn(unplaced.placement);
  if (id !== undefined && tx.get('machine', id)?.life === 'alive') releaseMachine(tx, id);
}
