import { advance } from '../../core/life.ts';
import { JujuError } from '../../core/errors.ts';
import type { UnitDoc } from '../../core/entities.ts';
import { removeUnit } from './remove-unit.ts';
import { mustGet, type Tx } from './tx.ts';

/**
 * remove-unit, for principals. A unit that no agent has taken up is removed at once; else it is dying and its agent
 * clears what stands in the way. Forced, it is removed at once with all that refers to it.
 * Errors: `not found`, '' for subordinates.
 */
export function destroyUnit(tx: Tx, args: { unit: string; force: boolean }): void {
  const unit = mustGet(tx, 'unit', args.unit);
  if (unit.principal !== undefined)
    throw new JujuError(
      '',
      `cannot destroy unit "${unit.name}": unit is a subordinate, to remove use remove-relation. Note: this will remove all units of "${unit.application}"`,
    );
  if (args.force) forceRemoveUnit(tx, unit);
  else setUnitDying(tx, unit);
}

/** Dying, its subordinates too; gone when nobody has deployed it. */
export function setUnitDying(tx: Tx, unit: UnitDoc): void {
  for (const subordinate of tx.find('unit', 'principal', unit.name)) setUnitDying(tx, subordinate);
  const dying = { ...unit, life: advance(unit.life, 'dying') };
  if (dying.life !== unit.life) tx.put('unit', unit.name, dying);
  const hasSubordinates = tx.count('unit', 'principal', unit.name) > 0;
  if (!unit.deployed && !hasSubordinates) removeUnit(tx, dying);
}

export function forceRemoveUnit(tx: Tx, unit: UnitDoc): void {
  for (const subordinate of tx.find('unit', 'principal', unit.name)) forceRemoveUnit(tx, subordinate);
  removeUnit(tx, unit);
}
