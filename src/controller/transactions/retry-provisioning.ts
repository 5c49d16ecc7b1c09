import { JujuError } from '../../core/errors.ts';
import { mustGet, setStatus, statusOf, type Tx, type View } from './tx.ts';

const failed = ['error', 'provisioning error'];

/** A machine whose start failed is pending again: the provisioner takes it up. Errors: `not found`, ''. */
export function retryProvisioning(tx: Tx, args: { machine: string }): void {
  const machine = mustGet(tx, 'machine', args.machine);
  const instance = statusOf(tx, 'instance', machine.id, machine.createdAt);
  if (machine.instance || !failed.includes(instance.status))
    throw new JujuError('', `machine ${machine.id} is not in an error state (${instance.status})`);
  // Its agent may have come up all the same, when only the answer was lost.
  if (statusOf(tx, 'machine-agent', machine.id, machine.createdAt).status === 'error')
    setStatus(tx, 'machine-agent', machine.id, 'pending');
  setStatus(tx, 'instance', machine.id, 'pending');
}

export function failedToStart(view: View): string[] {
  return [...view.find('machine', 'unprovisioned', 'unprovisioned')]
    .filter((machine) => failed.includes(statusOf(view, 'instance', machine.id, machine.createdAt).status))
    .map((machine) => machine.id);
}
