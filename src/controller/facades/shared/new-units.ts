import type { ConstraintConflict } from '../../../core/constraints.ts';
import type { Call } from '../../facade.ts';
import type { AddedUnit } from '../../transactions/begin/add-units.ts';
import { modelSetting } from './model.ts';

/** What the model's cloud lays down for machines that a transaction is to make. */
export function machineRules(call: Call): {
  containerTypes: readonly string[];
  conflicts: readonly ConstraintConflict[];
} {
  const { containers, constraints } = call.services.environ(call.modelUuid, call.read());
  return { containerTypes: containers?.types ?? [], conflicts: constraints.conflicts };
}

/** The same for units. `asked`: --reuse-machines; without a word of it the model's setting counts. */
export function unitRules(
  call: Call,
  asked: boolean | undefined,
): ReturnType<typeof machineRules> & { reuse: boolean } {
  return { ...machineRules(call), reuse: asked ?? modelSetting(call, 'reuse-machines') };
}

/** Which units took machines that were there; as results have it, nothing when none did. */
export interface Reused {
  readonly reused?: readonly { readonly unit: string; readonly machine: string }[];
}

/** Of units that were added, those that took a spare machine. */
export function reusedBy(units: readonly AddedUnit[]): Reused {
  const reused = units.flatMap(({ unit, machine, reused: isReused }) =>
    isReused && machine !== undefined ? [{ unit, machine }] : [],
  );
  return reused.length > 0 ? { reused } : {};
}
