import { JujuError } from '../../../core/errors.ts';
import { reprovisionRefusal } from '../../../core/machine/reprovision.ts';
import { beginMachineAnew } from './renew-machine.ts';
import { mustGet, statusOf, type Tx } from '../tx.ts';

/**
 * Another instance takes the place of one that is lost (machines.md#reprovision): the machine and its units keep their
 * names, what was asked of them, and what charms keep at the controller. All that was on the disks is gone, so the
 * units begin anew once they have left their relations as far as others can see. Units that were on their way out are
 * gone, because nobody is left to end them; a machine that was made for them goes too. An agent of the old instance
 * cannot log in any more, and the instance, should it come back, is stopped, since its nonce is not the machine's.
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
  const lost = statusOf(tx, 'instance', machine.id, machine.createdAt).status === 'lost';
  const refusal = reprovisionRefusal(machine, tx, { present: args.present, lost, force: args.force });
  if (refusal !== undefined) throw new JujuError('', refusal);
  beginMachineAnew(tx, machine);
}
