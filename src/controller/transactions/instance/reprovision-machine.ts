import { JujuError } from '../../../core/errors.ts';
import { reprovisionRefusal } from '../../../core/machine/reprovision.ts';
import { resetMachine } from './renew-machine.ts';
import { mustGet, statusOf, type Tx } from '../tx.ts';

/**
 * Replaces the lost instance of a machine (machines.md#reprovision): the machine and its units keep their names, what
 * was asked of them, and what charms keep at the controller. All data on the disks is gone, so the units begin anew,
 * and other units see them leave their relations. Dying units are removed, because no agent is left to end them; a
 * machine that was created for those is removed too. An agent of the old instance cannot log in any more, and the
 * instance, should it come back, is stopped, since its nonce is not the machine's.
 * Errors: `not found`; '' with what stands in the way (reprovisionRefusal).
 */
export function reprovisionMachine(
  tx: Tx,
  args: {
    machine: string;
    /** True when the machine's agent is connected. */
    present: boolean;
    /** Declares the instance lost, whatever the cloud says. */
    force: boolean;
  },
): void {
  const machine = mustGet(tx, 'machine', args.machine);
  const lost = statusOf(tx, 'instance', machine.id, machine.createdAt).status === 'lost';
  const refusal = reprovisionRefusal(machine, tx, { present: args.present, lost, force: args.force });
  if (refusal !== undefined) throw new JujuError('', refusal);
  resetMachine(tx, machine);
}
