import type { ApplicationDoc, UnitDoc } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import { principalsOf } from '../../core/unit/orphan.ts';
import { checkPlacement, placeUnits, type ToPlace } from './place-units.ts';
import type { Tx } from './tx.ts';

/**
 * Places units of one application, in this order, when it requires nothing any more: principals as they were asked to
 * be, subordinates on their principal's machine. One that cannot be placed gets the reason, and stops no other. Returns
 * how many were placed.
 */
export function placeWaiting(
  tx: Tx,
  args: {
    application: string;
    units: readonly string[];
    /** Those that the cloud has (Environ.containers). */
    containerTypes: readonly string[];
  },
): number {
  const application = tx.get('application', args.application);
  if (application?.life !== 'alive' || application.pending) return 0;
  // What is made in a dying model would only be taken down.
  if (tx.in('').get('model', tx.space)?.life !== 'alive') return 0;
  const waiting = args.units.flatMap((name) => {
    const unit = tx.get('unit', name);
    return unit?.unplaced && unit.life === 'alive' ? [unit] : [];
  });
  return application.subordinate
    ? placeSubordinates(tx, application, waiting)
    : placePrincipals(tx, application, waiting, args.containerTypes);
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
      checkPlacement(tx, application, { placement, constraints: unit.constraints, containerTypes });
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      const problem = error.message;
      if (unplaced.problem !== problem)
        tx.put('unit', unit.name, { ...unit, unplaced: { ...unplaced, problem } });
      continue;
    }
    const constraints = JSON.stringify(unit.constraints);
    if (groups.at(-1)?.constraints !== constraints) groups.push({ constraints, units: [] });
    groups.at(-1)?.units.push({ unit, reuse, ...(placement && { placement }) });
  }
  return groups.flatMap((group) => placeUnits(tx, application, group.units, containerTypes)).length;
}

/** One that lost its relation with its principal is not placed: it is on its way out. */
function placeSubordinates(tx: Tx, { name }: ApplicationDoc, units: readonly UnitDoc[]): number {
  const principals = principalsOf(tx, name);
  let placed = 0;
  for (const { unplaced: _, ...unit } of units) {
    const principal = tx.get('unit', unit.principal ?? '');
    if (principal?.life !== 'alive' || principal.machine === undefined) continue;
    if (!principals.has(principal.application)) continue;
    tx.put('unit', unit.name, { ...unit, machine: principal.machine });
    placed++;
  }
  return placed;
}
