import { advance } from '../../../core/life.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { impediments } from '../../../core/impediments.ts';
import { unitApplication } from '../../../core/names.ts';
import { isOrphan, principalsOf } from '../../../core/unit/orphan.ts';
import { clear } from './clear.ts';
import { endStorageOf } from './detach-storage.ts';
import { ending, isDue, type ForceRequest } from './force.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { removeUnit } from './remove-unit.ts';
import { forceWarnings } from './skipped.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * remove-unit, for principals, and with force for subordinates that are dying already. A unit that no agent has taken
 * up is removed at once; else it is dying and its agent clears what stands in the way; with force that is done for the
 * agent at the deadline.
 * Errors: `not found`, '' for subordinates.
 */
export function destroyUnit(
  tx: Tx,
  args: { unit: string; force?: ForceRequest; destroyStorage?: boolean },
): { warnings: string[] } {
  const entity = { kind: 'unit', id: args.unit } as const;
  const unit = mustGet(tx, 'unit', args.unit);
  refuseRemoval(tx, entity, args.force);
  setUnitDying(tx, unit, args);
  const warnings = forceWarnings(tx, entity);
  if (isDue(tx, tx.get('unit', args.unit))) clear(tx, entity);
  return { warnings };
}

/**
 * Makes a unit dying when its agent sees its application dying or no relation to its principal. Nothing happens when
 * that is not (or no longer) so: the agent has not received the newest state yet, and will.
 */
export function destroyOrphan(tx: Tx, name: string): void {
  const unit = mustGet(tx, 'unit', name);
  if (tx.get('application', unit.application)?.life !== 'alive' || isOrphan(tx, unit)) setUnitDying(tx, unit);
}

/** Makes the given units of a dying application dying; by now another application may have taken its name. */
export function endUnits(
  tx: Tx,
  args: { readonly application: string; readonly units: readonly string[] },
): void {
  if (tx.get('application', args.application)?.life !== 'dying') return;
  for (const name of args.units) {
    const unit = tx.get('unit', name);
    if (unit?.life === 'alive') setUnitDying(tx, unit);
  }
}

/**
 * Makes the given subordinates dying that no relation holds to their principals; subordinates that are related again
 * stay.
 */
export function endOrphans(
  tx: Tx,
  args: { readonly application: string; readonly units: readonly string[] },
): void {
  const principals = principalsOf(tx, args.application);
  for (const name of args.units) {
    const unit = tx.get('unit', name);
    if (unit?.life === 'alive' && !principals.has(unitApplication(unit.principal ?? '')))
      setUnitDying(tx, unit);
  }
}

/** Makes the unit and its subordinates dying; the unit is removed when nobody has deployed it. */
export function setUnitDying(
  tx: Tx,
  unit: UnitDoc,
  { force, destroyStorage }: { readonly force?: ForceRequest; readonly destroyStorage?: boolean } = {},
): void {
  for (const subordinate of tx.find('unit', 'principal', unit.name)) setUnitDying(tx, subordinate);
  const dying: UnitDoc = { ...unit, life: advance(unit.life, 'dying'), ...ending(tx, unit, force) };
  tx.put('unit', unit.name, dying);
  endStorageOf(tx, unit.name, destroyStorage ?? destroysStorage(tx, unit));
  // No agent knows of an undeployed unit, so there is nobody to wait for.
  const isHeld = impediments({ kind: 'unit', id: unit.name }, tx).some(({ kind }) => kind === 'subordinate');
  if (!unit.deployed && !isHeld) removeUnit(tx, dying);
}

/** Whether the unit's application is removed with the storage of its units. */
function destroysStorage(tx: Tx, { application }: UnitDoc): boolean {
  const doc = tx.get('application', application);
  return doc?.life !== 'alive' && doc?.destroyStorage === true;
}
