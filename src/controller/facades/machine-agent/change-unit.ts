import type { UnitDoc } from '../../../core/unit/document.ts';
import type { Call } from '../../facade.ts';
import type { Tx } from '../../transactions/tx.ts';
import { ownUnit } from './own-unit.ts';

/** One change about one of the agent's own units; what most of this facade's methods are. */
export async function changeUnit<T>(call: Call, unit: string, fn: (tx: Tx, unit: UnitDoc) => T): Promise<T> {
  return call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    return fn(tx, ownUnit(call, tx, unit));
  }, call.by);
}
