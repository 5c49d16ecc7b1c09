import type { MachineDoc } from '../../../core/machine/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { setUnitDying } from '../end/destroy-unit.ts';
import { giveUpAttempt } from './give-up-attempt.ts';
import { leaveScope } from '../end/leave-scope.ts';
import { resetStorageOf, resetStorageOn } from '../end/forget-storage.ts';
import { endMachine } from '../end/remove-machine.ts';
import { forgetTold } from '../agent/secret-told.ts';
import { refuseWhileHeld } from '../agent/restored-units.ts';
import { mustGet, setStatus, statusOf, type Tx, type View } from '../tx.ts';

const lost = 'machine was lost';

/**
 * Restarts a machine whose agent came on an instance that was gone before it was recorded, unless a start was recorded
 * since that was seen.
 */
export function renewMachine(tx: Tx, id: string): void {
  const machine = tx.get('machine', id);
  if (machine?.life === 'alive' && !machine.instance && hadAgent(tx, machine)) resetMachine(tx, machine);
}

/**
 * Lets a unit begin anew whose machine has no files of it any more, as after a restore when it was removed since the
 * backup; a dying one is removed. Does nothing for one that was not deployed. Errors: those of refuseWhileHeld.
 */
export function renewUnit(tx: Tx, name: string): void {
  refuseWhileHeld(tx);
  const unit = mustGet(tx, 'unit', name);
  if (!unit.deployed) return;
  resetUnit(tx, unit, 'unit began anew');
  resetStorageOf(tx, name);
  if (unit.life !== 'alive') setUnitDying(tx, mustGet(tx, 'unit', name));
}

/**
 * True when an agent has come on the machine: its units may have been deployed, and only that agent knows its password.
 */
export function hadAgent(view: View, { id, createdAt, ownPassword }: MachineDoc): boolean {
  return ownPassword === true || statusOf(view, 'machine-agent', id, createdAt).status === 'started';
}

/**
 * Resets the machine and its units to never started, since all data on its disks is gone. Dying units are removed, and
 * the machine with them when it was created for those alone.
 */
export function resetMachine(tx: Tx, machine: MachineDoc): void {
  const { id } = machine;
  const units = [...tx.find('unit', 'machine', id)];
  for (const unit of units) resetUnit(tx, unit);
  resetStorageOn(tx, id);
  for (const { name } of units) {
    const unit = tx.get('unit', name);
    if (unit && unit.life !== 'alive') setUnitDying(tx, unit);
  }
  const remaining = mustGet(tx, 'machine', id);
  // The machine was created for units that are gone now: it is released with whatever is left of its instance.
  if (remaining.life !== 'alive') return endMachine(tx, remaining);
  tx.put('machine', id, giveUpAttempt(tx, remaining));
  setStatus(tx, 'machine-agent', id, 'pending');
  setStatus(tx, 'instance', id, 'pending');
  setStatus(tx, 'modification', id, 'idle');
  abortTasks(tx, id, lost);
}

/**
 * Resets a unit to never deployed. A subordinate stays: its principal finds it when it enters their relation again. A
 * lease stays until it expires: the old agent, if it still runs somewhere, may rely on it until then.
 */
function resetUnit(tx: Tx, unit: UnitDoc, why = lost): void {
  const { name } = unit;
  for (const { relation } of tx.find('scope', 'unit', name)) leaveScope(tx, { unit: name, relation });
  abortTasks(tx, name, why);
  const state = tx.get('unit-state', name);
  if (state && Object.keys(state.charm).length > 0)
    tx.put('unit-state', name, { unit: name, lastHook: '', agent: null, charm: state.charm });
  else tx.remove('unit-state', name);
  forgetTold(tx, name);
  setStatus(tx, 'unit-agent', name, 'allocating');
  setStatus(tx, 'workload', name, 'waiting', 'waiting for machine');
  tx.put('unit', name, { ...unit, deployed: false, ports: {}, resolved: '', workloadVersion: '' });
}

/** Aborts running tasks of the receiver; pending tasks wait for the next agent. */
function abortTasks(tx: Tx, receiver: string, why: string): void {
  for (const task of tx.find('task', 'receiver', receiver))
    if (task.status === 'running' || task.status === 'aborting')
      tx.put('task', task.id, {
        ...task,
        status: 'aborted',
        message: why,
        completed: tx.now,
      });
}
