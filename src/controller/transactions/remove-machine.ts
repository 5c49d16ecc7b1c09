import { JujuError } from '../../core/errors.ts';
import { mustGet, removeStatuses, type Tx } from './tx.ts';

/** The agent's word that nothing is left on a dying machine. Errors: `machine has assigned units`, `machine is hosting containers`. */
export function setMachineDead(tx: Tx, id: string): void {
  const machine = mustGet(tx, 'machine', id);
  if (machine.life === 'dead') return;
  if (machine.life === 'alive') throw new JujuError('', `machine ${id} is alive`);
  const units = [...tx.find('unit', 'machine', id)].map((unit) => unit.name);
  if (units.length > 0)
    throw new JujuError('machine has assigned units', `machine ${id} has unit "${units.join('", "')}" assigned`);
  if (tx.count('machine', 'parent', id) > 0)
    throw new JujuError('machine is hosting containers', `machine ${id} is hosting containers`);
  tx.put('machine', id, { ...machine, life: 'dead' });
}

/** The record goes: its instance is released. */
export function removeMachine(tx: Tx, id: string): void {
  removeStatuses(tx, id, ['machine-agent', 'instance', 'modification']);
  tx.remove('annotation', `machine-${id.replaceAll('/', '-')}`);
  for (const task of [...tx.find('task', 'receiver', id)])
    if (task.status === 'pending' || task.status === 'running')
      tx.put('task', task.id, { ...task, status: 'aborted', message: 'machine was removed', completed: tx.now });
  tx.remove('machine', id);
}
