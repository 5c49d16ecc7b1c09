import type { Call } from '../../facade.ts';
import { destroyOrphan } from '../../transactions/end/destroy-unit.ts';
import { changeUnit } from './change-unit.ts';

/** Makes the unit dying when its application is dying, or no relation with its principal is alive. */
export async function destroyOwnUnit(call: Call, params: { unit: string }): Promise<Record<string, never>> {
  await changeUnit(call, params.unit, (tx, unit) => destroyOrphan(tx, unit.name));
  return {};
}
