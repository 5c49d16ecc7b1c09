/** What provisioners say of machines between the intent and the record: the controller's, and agents of hosts. */
import { remedyForLoss } from '../../../core/machine/reprovision.ts';
import { setStatus, statusOf, type Tx } from '../tx.ts';

/** What a start is doing now; once its instance is recorded, that is old. */
export function tellProgress(tx: Tx, id: string, message: string): void {
  const machine = tx.get('machine', id);
  if (machine && !machine.instance) setStatus(tx, 'instance', id, 'allocating', message);
}

/** What the script of its first boot does, or why it gave up; once its agent has come, that is old. */
export function tellBoot(
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

/** Why the instances of dead machines could not be stopped. */
export function tellUnreleased(
  tx: Tx,
  failures: readonly { readonly id: string; readonly message: string }[],
): void {
  for (const { id, message } of failures)
    if (tx.get('machine', id)?.life === 'dead') setStatus(tx, 'instance', id, 'error', message);
}

/** What a host's agent sees of instances that are recorded: they are gone, or there again. */
export function tellSeen(
  tx: Tx,
  { lost, back }: { readonly lost: readonly string[]; readonly back: readonly string[] },
): void {
  for (const id of lost) {
    const machine = tx.get('machine', id);
    if (machine?.instance && machine.life !== 'dead')
      setStatus(tx, 'instance', id, 'lost', remedyForLoss(machine, tx));
  }
  for (const id of back) {
    const machine = tx.get('machine', id);
    if (machine && statusOf(tx, 'instance', id, machine.createdAt).status === 'lost')
      setStatus(tx, 'instance', id, 'running', 'Running');
  }
}
