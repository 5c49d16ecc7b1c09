import type { UnitDoc } from '../../../core/unit/document.ts';
import { statusOf, type Tx } from '../tx.ts';

/** Marks the unit's failed hook, if any, to be run again, also where the model retries no hooks. */
export function withRetry(tx: Tx, unit: UnitDoc): UnitDoc {
  const { status, data } = statusOf(tx, 'unit-agent', unit.name, unit.createdAt);
  const hasFailed = status === 'error' && typeof data?.['hook'] === 'string';
  return hasFailed && unit.resolved === '' ? { ...unit, resolved: 'retry-hooks' } : unit;
}
