import type { UnitDoc } from '../../../core/unit/document.ts';
import type { Call } from '../../facade.ts';
import type { Tx } from '../../transactions/tx.ts';
import { ownUnit } from './own-unit.ts';

/** Runs one transaction on one of the agent's own units, as most methods of this facade do. */
export async function changeUnit<T>(call: Call, unit: string, fn: (tx: Tx, unit: UnitDoc) => T): Promise<T> {
  return call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    return fn(tx, ownUnit(call, tx, unit));
  }, call.by);
}
