import { JujuError } from '../../core/errors.ts';
import { impediments, type Impediment } from '../../core/impediments.ts';
import { mustGet, removeStatuses, type Tx } from './tx.ts';

/** The agent's word that nothing is left on a dying machine. Errors: `machine has assigned units`, `machine is hosting containers`. */
export function setMachineDead(tx: Tx, id: string): void {
  const machine = mustGet(tx, 'machine', id);
  if (machine.life === 'dead') return;
  if (machine.life === 'alive') throw new JujuError('', `machine ${id} is alive`);
  refuseIfImpeded(impediments({ kind: 'machine', id }, tx));
  tx.put('machine', id, { ...machine, life: 'dead' });
}

/** Errors: `machine has assigned units`, `machine is hosting containers`, '', with all that is in the way. */
export function refuseIfImpeded(found: readonly Impediment[]): void {
  const [first] = found;
  if (!first) return;
  const code =
    first.kind === 'unit'
      ? 'machine has assigned units'
      : first.kind === 'container'
        ? 'machine is hosting containers'
        : '';
  throw new JujuError(code, found.map((one) => one.text).join('; '));
}

/** The record goes: its instance is released. */
export function removeMachine(tx: Tx, id: string): void {
  removeStatuses(tx, id, ['machine-agent', 'instance', 'modification']);
  tx.remove('annotation', `machine-${id.replaceAll('/', '-')}`);
  for (const task of tx.find('task', 'receiver', id))
    if (task.status === 'pending' || task.status === 'running')
      tx.put('task', task.id, {
        ...task,
        status: 'aborted',
        message: 'machine was removed',
        completed: tx.now,
      });
  tx.remove('machine', id);
}
