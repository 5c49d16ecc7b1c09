import type { Call } from '../../facade.ts';
import { destroyOrphan } from '../../transactions/end/destroy-unit.ts';
import { changeUnit } from './change-unit.ts';

/** The unit has seen that its application is dying, or that no relation with its principal is alive; if that is so. */
export async function destroyOwnUnit(call: Call, params: { unit: string }): Promise<Record<string, never>> {
  await changeUnit(call, params.unit, (tx, unit) => destroyOrphan(tx, unit.name));
  return {};
}
