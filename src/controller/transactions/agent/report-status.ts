import { assertLeader } from './leadership.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';

interface Reported {
  readonly status: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** The status that a machine's agent has. Errors: `not found`. */
export function reportMachineStatus(tx: Tx, args: Reported & { readonly machine: string }): void {
  const { id } = mustGet(tx, 'machine', args.machine);
  setStatus(tx, 'machine-agent', id, args.status, args.message, args.data);
}

/**
 * The status that a unit's agent has, that its charm sets for the unit, or, as leader, for its application. Errors: `not
 * found`; `not leader` for the application's by another unit.
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
