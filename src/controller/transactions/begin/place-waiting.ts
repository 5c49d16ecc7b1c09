import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { unitApplication } from '../../../core/names.ts';
import { principalsOf } from '../../../core/unit/orphan.ts';
import { placeStorage } from './add-storage.ts';
import { checkPlacement, placeUnits, type ToPlace } from './place-units.ts';
import type { Tx } from '../tx.ts';

/**
 * Places units whose application has no open requirements: first principals with the placement asked for them, then
 * subordinates on their principal's machine. A unit that cannot be placed gets the reason and does not block others.
 * Returns the number of placed units by application.
 */
export function placeWaiting(
  tx: Tx,
  args: {
    units: readonly string[];
    /** Container types that the cloud supports (Environ.containers). */
    containerTypes: readonly string[];
  },
): Map<string, number> {
  const placed = new Map<string, number>();
  // A dying model gets nothing new: it would only be taken down.
  if (tx.in('').get('model', tx.space)?.life !== 'alive') return placed;
  for (const [name, names] of Map.groupBy(args.units, unitApplication)) {
    const application = tx.get('application', name);
    if (application?.life !== 'alive' || application.pending) continue;
    const units = names.flatMap((unitName) => {
      const unit = tx.get('unit', unitName);
      return unit?.unplaced && unit.life === 'alive' ? [unit] : [];
    });
    const count = application.subordinate
      ? placeSubordinates(tx, application, units)
      : placePrincipals(tx, application, units, args.containerTypes);
    if (count > 0) placed.set(name, count);
  }
  return placed;
}

function placePrincipals(
  tx: Tx,
  application: ApplicationDoc,
  units: readonly UnitDoc[],
  containerTypes: readonly string[],
): number {
  const groups: { readonly constraints: string; readonly units: ToPlace[] }[] = [];
  for (const { unplaced = {}, ...unit } of units) {
    const { placement, reuse = false } = unplaced;
    try {
      const { name, constraints } = unit;
      checkPlacement(tx, application, { placement, constraints, containerTypes, unit: name });
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      const problem = error.message;
      if (unplaced.problem !== problem)
        tx.put('unit', unit.name, { ...unit, unplaced: { ...unplaced, problem } });
      continue;
    }
    const constraints = JSON.stringify(unit.constraints);
    if (groups.at(-1)?.constraints !== constraints) groups.push({ constraints, units: [] });
    groups.at(-1)?.units.push({ unit, reuse, placement });
  }
  return groups.flatMap((group) => placeUnits(tx, application, group.units, containerTypes)).length;
}

/** Places subordinates; one that lost the relation with its principal is skipped, since it is about to be removed. */
function placeSubordinates(tx: Tx, { name }: ApplicationDoc, units: readonly UnitDoc[]): number {
  const principals = principalsOf(tx, name);
  let placed = 0;
  for (const { unplaced: _, ...unit } of units) {
    const principal = tx.get('unit', unit.principal ?? '');
    if (principal?.life !== 'alive' || principal.machine === undefined) continue;
    if (!principals.has(principal.application)) continue;
    tx.put('unit', unit.name, { ...unit, machine: principal.machine });
    placeStorage(tx, { name: unit.name, machine: principal.machine });
    placed++;
  }
  return placed;
}
