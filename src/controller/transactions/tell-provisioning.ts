/** What provisioners say of machines between the intent and the record: the controller's, and agents of hosts. */
import { setStatus, statusOf, type Tx } from './tx.ts';

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
