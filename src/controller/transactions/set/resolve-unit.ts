import { JujuError } from '../../../core/errors.ts';
import { mustGet, statusOf, type Tx } from '../tx.ts';

/**
 * resolved: the unit's agent runs the failed hook again, or goes on as if it had succeeded. Errors: `not found`, ''.
 */
export function resolveUnit(tx: Tx, args: { unit: string; retry: boolean }): void {
  const unit = mustGet(tx, 'unit', args.unit);
  const agent = statusOf(tx, 'unit-agent', unit.name, unit.createdAt);
  if (agent.status !== 'error') throw new JujuError('', `unit "${unit.name}" is not in an error state`);
  if (unit.resolved !== '')
    throw new JujuError('', `cannot set resolved mode for unit "${unit.name}": already resolved`);
  tx.put('unit', unit.name, { ...unit, resolved: args.retry ? 'retry-hooks' : 'no-hooks' });
}
