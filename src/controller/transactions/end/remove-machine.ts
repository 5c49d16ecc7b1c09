import { advance, earlier, type Force } from '../../../core/life.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { isOpen } from '../../../core/task/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { impediments, isAwaited, isImpeded } from '../../../core/impediments.ts';
import { machineTag } from '../../../wire/tags.ts';
import { ending, type ForceRequest } from './force.ts';
import { isEnlisted, rememberHost } from '../begin/enlist-machine.ts';
import { mustGet, removeStatuses, statusOf, type Tx } from '../tx.ts';

/** Dying until its agent has ended what is on it; gone when there is no such agent and nothing to end. */
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

/** A host on which the agent never came has none either: when it comes yet, it is told to go. */
function hasNoAgent(tx: Tx, machine: MachineDoc): boolean {
  const { id, createdAt, ownPassword } = machine;
  if (!isEnlisted(machine)) return !wasStarted(machine);
  return !ownPassword && statusOf(tx, 'machine-agent', id, createdAt).status !== 'started';
}

/** What is to be kept runs in it. */
function keepHost(tx: Tx, id: string): void {
  const host = tx.get('machine', id);
  if (host?.life === 'alive' && host.removeWhenEmpty)
    tx.put('machine', id, { ...host, removeWhenEmpty: false });
}

/**
 * Called when something has gone from the machine. One that was made for units goes when nothing is on it any more and
 * no unit waits to be placed on it (lives.md#machine-made-for-units); a dying one that was never started does not wait
 * for its agent. `force` is the force of what has gone: the machine's agent may be the one that was not waited for.
 */
export function releaseMachine(tx: Tx, id: string, force?: Force): void {
  const machine = tx.get('machine', id);
  if (!machine || isImpeded({ kind: 'machine', id }, tx)) return;
  const goes =
    machine.life === 'dying' || (machine.life === 'alive' && machine.removeWhenEmpty && !isAwaited(tx, id));
  if (!goes) return;
  const first = earlier(machine.force, force);
  setMachineDying(tx, first ? { ...machine, force: first } : machine);
}

/**
 * The agent's word that nothing is left on a dying machine. Errors: `machine has assigned units`, `machine is hosting
 * containers`.
 */
export function setMachineDead(tx: Tx, id: string): void {
  const machine = mustGet(tx, 'machine', id);
  if (machine.life === 'dead') return;
  if (machine.life === 'alive') throw new JujuError('', `machine ${id} is alive`);
  const found = impediments({ kind: 'machine', id }, tx);
  const [first] = found;
  if (first) {
    const codes = { unit: 'machine has assigned units', container: 'machine is hosting containers' } as const;
    const code = first.kind === 'unit' || first.kind === 'container' ? codes[first.kind] : '';
    throw new JujuError(code, found.map((one) => one.text).join('; '));
  }
  tx.put('machine', id, { ...machine, life: 'dead' });
}

/**
 * Dead. The record stays until the provisioner has released the instance, so that none is ever an orphan; it goes at
 * once when there was never one, or when it is `released` with another.
 */
export function endMachine(tx: Tx, machine: MachineDoc, released = false): void {
  tx.put('machine', machine.id, { ...machine, life: 'dead' });
  if (released || !wasStarted(machine)) removeMachine(tx, machine.id);
}

/** The record goes: its instance is released. A host that was made for it has no more time than what is forced. */
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
  if (machine && isEnlisted(machine)) rememberHost(tx, machine);
  if (machine?.parent !== undefined) releaseMachine(tx, machine.parent, machine.force);
}

/** There may be an instance: the nonce is durable before any provider is called. */
function wasStarted(machine: MachineDoc): boolean {
  return machine.nonce !== undefined || machine.instance !== undefined;
}
