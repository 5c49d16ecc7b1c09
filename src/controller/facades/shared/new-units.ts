import type { ConstraintConflict } from '../../../core/constraints.ts';
import type { Call } from '../../facade.ts';
import type { AddedUnit } from '../../transactions/begin/add-units.ts';
import { modelSetting } from './model.ts';

/** Rules of the model's cloud for machines that a transaction creates. */
export function machineRules(call: Call): {
  containerTypes: readonly string[];
  conflicts: readonly ConstraintConflict[];
} {
  const { containers, constraints } = call.services.environ(call.modelUuid, call.read());
  return { containerTypes: containers?.types ?? [], conflicts: constraints.conflicts };
}

/** Rules for units. `requested`: --reuse-machines; undefined means the model's setting. */
export function unitRules(
  call: Call,
  requested: boolean | undefined,
): ReturnType<typeof machineRules> & { reuse: boolean } {
  return { ...machineRules(call), reuse: requested ?? modelSetting(call, 'reuse-machines') };
}

/** Units that took existing machines, as a member of results; absent when none did. */
interface Reused {
  readonly reused?: readonly { readonly unit: string; readonly machine: string }[];
}

/** Added units that took a spare machine. */
export function reusedBy(units: readonly AddedUnit[]): Reused {
  const reused = units.flatMap(({ unit, machine, reused: isReused }) =>
    isReused && machine !== undefined ? [{ unit, machine }] : [],
  );
  return reused.length > 0 ? { reused } : {};
}
