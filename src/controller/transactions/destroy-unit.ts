import { advance } from '../../core/life.ts';
import type { UnitDoc } from '../../core/entities.ts';
import { isOrphan } from '../../core/unit/orphan.ts';
import { ending, type ForceRequest } from './force.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { removeUnit } from './remove-unit.ts';
import { mustGet, type Tx } from './tx.ts';

/**
 * remove-unit, for principals. A unit that no agent has taken up is removed at once; else it is dying and its agent
 * clears what stands in the way. Forced, it is removed at once with all that refers to it.
 * Errors: `not found`, '' for subordinates.
 */
export function destroyUnit(tx: Tx, args: { unit: string; force?: ForceRequest }): { warnings: string[] } {
  const unit = mustGet(tx, 'unit', args.unit);
  refuseRemoval(tx, { kind: 'unit', id: unit.name }, args.force);
  if (args.force) forceRemoveUnit(tx, unit);
  else setUnitDying(tx, unit);
  return { warnings: [] };
}

/**
 * What a unit's agent asks for when it sees its application going, or nothing that holds it to its principal. When that
 * is not so (any more), nothing happens: the agent has not heard of everything yet, and will.
 */
export function destroyOrphan(tx: Tx, name: string): void {
  const unit = mustGet(tx, 'unit', name);
  if (tx.get('application', unit.application)?.life !== 'alive' || isOrphan(tx, unit)) setUnitDying(tx, unit);
}

/** Dying, its subordinates too; gone when nobody has deployed it. */
export function setUnitDying(tx: Tx, unit: UnitDoc): void {
  for (const subordinate of tx.find('unit', 'principal', unit.name)) setUnitDying(tx, subordinate);
  const dying = { ...unit, life: advance(unit.life, 'dying'), ...ending(tx, unit, undefined) };
  if (dying.life !== unit.life) tx.put('unit', unit.name, dying);
  const hasSubordinates = tx.count('unit', 'principal', unit.name) > 0;
  if (!unit.deployed && !hasSubordinates) removeUnit(tx, dying);
}

export function forceRemoveUnit(tx: Tx, unit: UnitDoc): void {
  for (const subordinate of tx.find('unit', 'principal', unit.name)) forceRemoveUnit(tx, subordinate);
  removeUnit(tx, unit);
}
