import type { UnitDoc } from '../../../core/unit/document.ts';
import { statusOf, type Tx } from '../tx.ts';

/** The unit with its failed hook, if it has one, to be run again, also where the model says that no hook is. */
export function withRetry(tx: Tx, unit: UnitDoc): UnitDoc {
  const { status, data } = statusOf(tx, 'unit-agent', unit.name, unit.createdAt);
  const hasFailed = status === 'error' && typeof data?.['hook'] === 'string';
  return hasFailed && unit.resolved === '' ? { ...unit, resolved: 'retry-hooks' } : unit;
}
