import type { UnitDoc } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import { reprovisionRefusal } from '../../core/machine/reprovision.ts';
import { setUnitDying } from './destroy-unit.ts';
import { giveUpAttempt } from './give-up-attempt.ts';
import { leaveScope } from './leave-scope.ts';
import { endMachine } from './remove-machine.ts';
import { mustGet, setStatus, statusOf, type Tx } from './tx.ts';

/**
 * Another instance takes the place of one that is lost (domain-facts §2.6): the machine and its units keep their names,
 * what was asked of them, and what charms keep at the controller; all that was on the disks is gone, so the units begin
 * anew, once they have left their relations as far as others can see. Those that were on their way out are gone: nobody
 * is left to end them; a machine that was made for them goes too. An agent of the old instance cannot log in any more,
 * and the instance, should it come back, is stopped, since its nonce is not the machine's.
 * Errors: `not found`; '' with what stands in the way (reprovisionRefusal).
 */
export function reprovisionMachine(
  tx: Tx,
  args: {
    machine: string;
    /** Its agent has a connection. */
    present: boolean;
    /** Whatever the cloud says, its instance is lost. */
    force: boolean;
  },
): void {
  const machine = mustGet(tx, 'machine', args.machine);
  const { id } = machine;
  const lost = statusOf(tx, 'instance', id, machine.createdAt).status === 'lost';
  const refusal = reprovisionRefusal(machine, tx, { present: args.present, lost, force: args.force });
  if (refusal !== undefined) throw new JujuError('', refusal);
  const units = [...tx.find('unit', 'machine', id)];
  for (const unit of units) beginAnew(tx, unit);
  for (const { name } of units) {
    const unit = tx.get('unit', name);
    if (unit && unit.life !== 'alive') setUnitDying(tx, unit);
  }
  const left = mustGet(tx, 'machine', id);
  // Made for units that are gone now: it is released, whatever there still is of its instance.
  if (left.life !== 'alive') return endMachine(tx, left);
  tx.put('machine', id, giveUpAttempt(tx, left));
  setStatus(tx, 'machine-agent', id, 'pending');
  setStatus(tx, 'instance', id, 'pending');
  setStatus(tx, 'modification', id, 'idle');
  abortTasks(tx, id);
}

/**
 * As if no agent had ever taken it up. A subordinate stays: its principal finds it when it enters their relation again.
 */
function beginAnew(tx: Tx, unit: UnitDoc): void {
  const { name } = unit;
  for (const { relation } of tx.find('scope', 'unit', name)) leaveScope(tx, { unit: name, relation });
  if (tx.get('lease', unit.application)?.holder === name) tx.remove('lease', unit.application);
  abortTasks(tx, name);
  const state = tx.get('unit-state', name);
  if (state && Object.keys(state.charm).length > 0)
    tx.put('unit-state', name, { unit: name, lastHook: '', agent: null, charm: state.charm });
  else tx.remove('unit-state', name);
  setStatus(tx, 'unit-agent', name, 'allocating');
  setStatus(tx, 'workload', name, 'waiting', 'waiting for machine');
  tx.put('unit', name, { ...unit, deployed: false, ports: {}, resolved: '', workloadVersion: '' });
}

/** What has not begun waits for the next agent. */
function abortTasks(tx: Tx, receiver: string): void {
  for (const task of tx.find('task', 'receiver', receiver))
    if (task.status === 'running')
      tx.put('task', task.id, {
        ...task,
        status: 'aborted',
        message: 'machine was lost',
        completed: tx.now,
      });
}
