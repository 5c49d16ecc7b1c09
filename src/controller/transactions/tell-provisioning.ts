/** What provisioners say of machines between the intent and the record: the controller's, and agents of hosts. */
import { setStatus, type Tx } from './tx.ts';

/** What a start is doing now; once its instance is recorded, that is old. */
export function tellProgress(tx: Tx, id: string, message: string): void {
  const machine = tx.get('machine', id);
  if (machine && !machine.instance) setStatus(tx, 'instance', id, 'allocating', message);
}

/** Why the instances of dead machines could not be stopped. */
export function tellUnreleased(
  tx: Tx,
  failures: readonly { readonly id: string; readonly message: string }[],
): void {
  for (const { id, message } of failures)
    if (tx.get('machine', id)?.life === 'dead') setStatus(tx, 'instance', id, 'error', message);
}
