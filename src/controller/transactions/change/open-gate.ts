import { closedGates, type ClosedGate } from '../../../core/gates/gate.ts';
import { settleRequirements } from '../shared/requirements.ts';
import type { Tx } from '../tx.ts';

/**
 * Opens a gate of an application for good: the health that it waits for was seen. A gate that was changed or removed
 * meanwhile is left alone. Returns whether it was opened. Idempotent.
 */
export function openGate(tx: Tx, args: { readonly application: string; readonly gate: ClosedGate }): boolean {
  const { gate } = args;
  const application = tx.get('application', args.application);
  if (application?.life !== 'alive') return false;
  const isClosed = closedGates(application.after).some(
    (one) => one.application === gate.application && one.health === gate.health,
  );
  if (!isClosed) return false;
  const opened = { health: gate.health, opened: tx.now };
  tx.put('application', application.name, {
    ...application,
    after: { ...application.after, [gate.application]: opened },
  });
  settleRequirements(tx, [application.name]);
  return true;
}
