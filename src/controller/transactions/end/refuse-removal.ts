import type { EntityRef } from '../../../core/entity-ref.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Impediment } from '../../../core/impediments.ts';
import { removalRefusal } from '../../../core/removal/refusal.ts';
import type { ForceRequest } from './force.ts';
import type { View } from '../tx.ts';

/**
 * Refuses a removal for the reasons of core/removal/refusal.ts, which become its errors. Returns the reasons that
 * --force overrides.
 */
export function refuseRemoval(
  view: View,
  entity: EntityRef,
  force: ForceRequest | undefined,
): readonly Impediment[] {
  const refusal = removalRefusal(view, entity);
  if (refusal && !(force && refusal.passedOver)) throw new JujuError(refusal.code, refusal.message);
  return refusal?.passedOver ?? [];
}
