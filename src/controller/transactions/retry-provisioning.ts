import type { Constraints } from '../../core/constraints.ts';
import { JujuError } from '../../core/errors.ts';
import { mustGet, setStatus, statusOf, type Tx, type View } from './tx.ts';

const failed = ['error', 'provisioning error'];

/**
 * A machine whose start failed is pending again, in all zones: the provisioner takes it up. `constraints` replace those
 * that it has; its units keep what they captured. Errors: `not found`, '' (not failed, not alive), `not valid`.
 */
export function retryProvisioning(tx: Tx, args: { machine: string; constraints?: Constraints }): void {
  const machine = mustGet(tx, 'machine', args.machine);
  const instance = statusOf(tx, 'instance', machine.id, machine.createdAt);
  if (machine.life !== 'alive') throw new JujuError('', `machine ${machine.id} is ${machine.life}`);
  if (machine.instance || !failed.includes(instance.status))
    throw new JujuError('', `machine ${machine.id} is not in an error state (${instance.status})`);
  // A machine is in a container or is not: that is its id, and no start changes it.
  if (args.constraints?.container && args.constraints.container !== machine.containerType)
    throw new JujuError(
      'not valid',
      `machine ${machine.id}: container constraint "${args.constraints.container}" cannot be set on a machine`,
    );
  // Its agent may have come up all the same, when only the answer was lost.
  if (statusOf(tx, 'machine-agent', machine.id, machine.createdAt).status === 'error')
    setStatus(tx, 'machine-agent', machine.id, 'pending');
  setStatus(tx, 'instance', machine.id, 'pending');
  const { failedZones, ...rest } = machine;
  if (args.constraints || failedZones)
    tx.put('machine', machine.id, { ...rest, constraints: args.constraints ?? machine.constraints });
}

export function failedToStart(view: View): string[] {
  return [...view.find('machine', 'unprovisioned', 'unprovisioned')]
    .filter(
      (machine) =>
        machine.life === 'alive' &&
        failed.includes(statusOf(view, 'instance', machine.id, machine.createdAt).status),
    )
    .map((machine) => machine.id);
}
