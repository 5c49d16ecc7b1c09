/**
 * Reports of provisioners (the controller's and hosts' agents) about machines between the intent and the record of a
 * start.
 */
import { remedyForLoss } from '../../../core/machine/reprovision.ts';
import { setStatus, statusOf, type Tx } from '../tx.ts';

/** Reports the progress of a start; ignored once the instance is recorded. */
export function reportProgress(tx: Tx, id: string, message: string): void {
  const machine = tx.get('machine', id);
  if (machine && !machine.instance) setStatus(tx, 'instance', id, 'allocating', message);
}

/** Reports the progress or failure of the first boot's script; ignored once the agent has started. */
export function reportBoot(
  tx: Tx,
  args: {
    readonly machine: string;
    readonly state: 'running' | 'failed';
    readonly message: string;
  },
): void {
  const machine = tx.get('machine', args.machine);
  if (!machine || machine.life === 'dead') return;
  const { status } = statusOf(tx, 'machine-agent', machine.id, machine.createdAt);
  if (status !== 'pending' && status !== 'error') return;
  setStatus(tx, 'machine-agent', machine.id, args.state === 'failed' ? 'error' : 'pending', args.message);
}

/** Reports why the instances of dead machines could not be stopped. */
export function reportUnreleased(
  tx: Tx,
  failures: readonly { readonly id: string; readonly message: string }[],
): void {
  for (const { id, message } of failures)
    if (tx.get('machine', id)?.life === 'dead') setStatus(tx, 'instance', id, 'error', message);
}

/** Reports which recorded instances a host's agent sees missing, or back again. */
export function reportSeenInstances(
  tx: Tx,
  { lost, recovered }: { readonly lost: readonly string[]; readonly recovered: readonly string[] },
): void {
  for (const id of lost) {
    const machine = tx.get('machine', id);
    if (machine?.instance && machine.life !== 'dead')
      setStatus(tx, 'instance', id, 'lost', remedyForLoss(machine, tx));
  }
  for (const id of recovered) {
    const machine = tx.get('machine', id);
    if (machine && statusOf(tx, 'instance', id, machine.createdAt).status === 'lost')
      setStatus(tx, 'instance', id, 'running', 'Running');
  }
}
