import type { Constraints } from '../../../core/constraints.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { giveUpAttempt } from './give-up-attempt.ts';
import { resetMachine, hadAgent } from './renew-machine.ts';
import { mustGet, setStatus, statusOf, type Tx, type View } from '../tx.ts';

const failedStatuses = ['error', 'provisioning error'];

/**
 * Makes a machine whose start failed, for good or until its next attempt, pending again, in all zones: the provisioner
 * takes it up now. `constraints` replace the machine's; its units keep what they captured.
 * Errors: `not found`, '' (not failed, not alive), `not valid` (container).
 */
export function retryProvisioning(tx: Tx, args: { machine: string; constraints?: Constraints }): void {
  const machine = mustGet(tx, 'machine', args.machine);
  if (machine.life !== 'alive') throw new JujuError('', `machine ${machine.id} is ${machine.life}`);
  if (!isFailed(tx, machine)) {
    const { status } = statusOf(tx, 'instance', machine.id, machine.createdAt);
    throw new JujuError('', `machine ${machine.id} is not in an error state (${status})`);
  }
  if (args.constraints?.container)
    throw new JujuError(
      'not valid',
      `container constraint "${args.constraints.container}" not allowed: machine ${machine.id} cannot be moved`,
    );
  // The agent may have started when only the answer was lost; an agent of an abandoned attempt does not count.
  if (args.constraints || statusOf(tx, 'machine-agent', machine.id, machine.createdAt).status === 'error')
    setStatus(tx, 'machine-agent', machine.id, 'pending');
  setStatus(tx, 'instance', machine.id, 'pending');
  const { failedZones, ...fields } = machine;
  if (args.constraints) {
    // An instance whose answer was lost has the earlier constraints, and its agent may have started.
    if (hadAgent(tx, machine)) resetMachine(tx, fields);
    else tx.put('machine', machine.id, giveUpAttempt(tx, fields));
    const remaining = tx.get('machine', machine.id);
    if (remaining) tx.put('machine', remaining.id, { ...remaining, constraints: args.constraints });
  } else if (failedZones) tx.put('machine', machine.id, fields);
}

/** Ids of the machines that retryProvisioning accepts. */
export function failedToStart(view: View): string[] {
  return [...view.find('machine', 'unprovisioned', 'unprovisioned')]
    .filter((machine) => machine.life === 'alive' && isFailed(view, machine))
    .map((machine) => machine.id);
}

/** True when the machine's start failed, for good or until its next attempt. */
function isFailed(view: View, machine: MachineDoc): boolean {
  if (machine.instance) return false;
  const { status, data } = statusOf(view, 'instance', machine.id, machine.createdAt);
  return failedStatuses.includes(status) || typeof data?.['next'] === 'string';
}
