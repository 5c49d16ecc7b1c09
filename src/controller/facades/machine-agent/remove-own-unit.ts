import type { Call } from '../../facade.ts';
import { removeRecalledUnit } from '../../transactions/agent/unit-agent.ts';
import { ownUnit } from './own-unit.ts';

/** Removes the unit; a unit that is gone already is no error. */
export async function removeOwnUnit(call: Call, params: { unit: string }): Promise<Record<string, never>> {
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    if (tx.get('unit', params.unit)) removeRecalledUnit(tx, ownUnit(call, tx, params.unit).name);
  }, call.by);
  return {};
}
