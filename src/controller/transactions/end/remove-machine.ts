import { advance, earlier, type Force } from '../../../core/life.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { isOpen } from '../../../core/task/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { impediments, isAwaited, isImpeded } from '../../../core/impediments.ts';
import { machineTag } from '../../../wire/tags.ts';
import { forgetStorageOn } from './forget-storage.ts';
import { ending, type ForceRequest } from './force.ts';
import { isEnlisted, rememberHost } from '../begin/enlist-machine.ts';
import { mustGet, removeStatuses, statusOf, type Tx } from '../tx.ts';

/**
 * Makes the machine dying until its agent has ended what is on it; removes it when there is no such agent and nothing
 * to end.
 */
export function setMachineDying(
  tx: Tx,
  machine: MachineDoc,
  args: { readonly keepInstance?: boolean; readonly force?: ForceRequest } = {},
): void {
  const dying: MachineDoc = {
    ...machine,
    life: advance(machine.life, 'dying'),
    ...ending(tx, machine, args.force),
    keepInstance: machine.keepInstance || args.keepInstance === true,
  };
  tx.put('machine', machine.id, dying);
  if (dying.keepInstance && wasStarted(machine) && machine.parent !== undefined) keepHost(tx, machine.parent);
  if (hasNoAgent(tx, machine) && !isImpeded({ kind: 'machine', id: machine.id }, tx))
    endMachine(tx, dying, isEnlisted(machine));
}

/**
 * True when no agent will end the machine. This includes a host on which the agent never came: an agent that comes
 * later is told to go.
 */
function hasNoAgent(tx: Tx, machine: MachineDoc): boolean {
  const { id, createdAt, ownPassword } = machine;
  if (!isEnlisted(machine)) return !wasStarted(machine);
  return !ownPassword && statusOf(tx, 'machine-agent', id, createdAt).status !== 'started';
}

/** Keeps the instance of the host, in which a kept container runs. */
function keepHost(tx: Tx, id: string): void {
  const host = tx.get('machine', id);
  if (host?.life === 'alive' && host.removeWhenEmpty)
    tx.put('machine', id, { ...host, removeWhenEmpty: false });
}

/**
 * Releases the machine that something was removed from. A machine created for units goes when nothing is on it any more
 * and no unit waits to be placed on it (lives.md#machine-made-for-units); a dying machine that was never started does
 * not wait for its agent. `force` is that of the removed entity: the machine's agent may be the one that was not waited
 * for.
 */
export function releaseMachine(tx: Tx, id: string, force?: Force): void {
  const machine = tx.get('machine', id);
  if (!machine || isImpeded({ kind: 'machine', id }, tx)) return;
  const isRemovable =
    machine.life === 'dying' || (machine.life === 'alive' && machine.removeWhenEmpty && !isAwaited(tx, id));
  if (!isRemovable) return;
  const earliestForce = earlier(machine.force, force);
  setMachineDying(tx, earliestForce ? { ...machine, force: earliestForce } : machine);
}

/**
 * Makes a dying machine dead whose agent reports that nothing is left on it.
 * Errors: `machine has assigned units`, `machine is hosting containers`.
 */
export function setMachineDead(tx: Tx, id: string): void {
  const machine = mustGet(tx, 'machine', id);
  if (machine.life === 'dead') return;
  if (machine.life === 'alive') throw new JujuError('', `machine ${id} is alive`);
  const blocking = impediments({ kind: 'machine', id }, tx);
  const [first] = blocking;
  if (first) {
    const codes = { unit: 'machine has assigned units', container: 'machine is hosting containers' } as const;
    const code = first.kind === 'unit' || first.kind === 'container' ? codes[first.kind] : '';
    throw new JujuError(code, blocking.map((one) => one.text).join('; '));
  }
  tx.put('machine', id, { ...machine, life: 'dead' });
}

/**
 * Makes the machine dead. The record stays until the provisioner has released the instance, so that none is ever
 * orphaned; it is removed at once when there was never an instance, or when the instance is `released` with another.
 */
export function endMachine(tx: Tx, machine: MachineDoc, released = false): void {
  tx.put('machine', machine.id, { ...machine, life: 'dead' });
  if (released || !wasStarted(machine)) removeMachine(tx, machine.id);
}

/**
 * Removes the record of a machine whose instance is released. A host created for it gets no more time than the forced
 * removal.
 */
export function removeMachine(tx: Tx, id: string): void {
  const machine = tx.get('machine', id);
  removeStatuses(tx, id, ['machine-agent', 'instance', 'modification']);
  tx.remove('annotation', machineTag(id));
  for (const task of tx.find('task', 'receiver', id))
    if (isOpen(task))
      tx.put('task', task.id, {
        ...task,
        status: 'aborted',
        message: 'machine was removed',
        completed: tx.now,
      });
  tx.remove('machine', id);
  forgetStorageOn(tx, id);
  if (machine && isEnlisted(machine)) rememberHost(tx, machine);
  if (machine?.parent !== undefined) releaseMachine(tx, machine.parent, machine.force);
}

/** True when there may be an instance: the nonce is durable before any provider is called. */
function wasStarted(machine: MachineDoc): boolean {
  return machine.nonce !== undefined || machine.instance !== undefined;
}
