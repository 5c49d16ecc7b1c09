import { assertLeader } from './leadership.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';

interface Reported {
  readonly status: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** Sets the status that a machine's agent reports for itself. Errors: `not found`. */
export function reportMachineStatus(tx: Tx, args: Reported & { readonly machine: string }): void {
  const { id } = mustGet(tx, 'machine', args.machine);
  setStatus(tx, 'machine-agent', id, args.status, args.message, args.data);
}

/**
 * Sets the status of a unit's agent, or the status that its charm sets for the unit or, as leader, for the application.
 * Errors: `not found`; `not leader` when another unit sets the application's status.
 */
export function reportUnitStatus(
  tx: Tx,
  args: Reported & { readonly unit: string; readonly kind: 'unit-agent' | 'workload' | 'application' },
): void {
  const unit = mustGet(tx, 'unit', args.unit);
  if (args.kind === 'application') assertLeader(tx, unit, 'cannot set application status');
  const entity = args.kind === 'application' ? unit.application : unit.name;
  setStatus(tx, args.kind, entity, args.status, args.message, args.data);
}
