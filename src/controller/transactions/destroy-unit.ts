import { advance } from '../../core/life.ts';
import { JujuError } from '../../core/errors.ts';
import type { UnitDoc } from '../../core/entities.ts';
import { ending, type ForceRequest } from './force.ts';
import { removeUnit } from './remove-unit.ts';
import { mustGet, type Tx, type View } from './tx.ts';

/**
 * remove-unit, for principals. A unit that no agent has taken up is removed at once; else it is dying and its agent
 * clears what stands in the way. Forced, it is removed at once with all that refers to it.
 * Errors: `not found`, '' for subordinates.
 */
export function destroyUnit(tx: Tx, args: { unit: string; force?: ForceRequest }): { warnings: string[] } {
  const unit = mustGet(tx, 'unit', args.unit);
  if (unit.principal !== undefined)
    throw new JujuError(
      '',
      `cannot destroy unit "${unit.name}": unit is a subordinate, to remove use remove-relation. Note: this will remove all units of "${unit.application}"`,
    );
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

/** A subordinate without an alive container relation between its application and its principal's (seeds/004). */
export function isOrphan(view: View, unit: UnitDoc): boolean {
  if (unit.principal === undefined) return false;
  const principal = view.get('unit', unit.principal)?.application;
  return principal === undefined || !principalsOf(view, unit.application).has(principal);
}

/** The applications whose units may have a subordinate of this one. */
export function principalsOf(view: View, subordinate: string): Set<string> {
  const principals = new Set<string>();
  for (const { life, endpoints } of view.find('relation', 'application', subordinate))
    if (life === 'alive' && endpoints[0]?.scope === 'container')
      for (const { application } of endpoints) if (application !== subordinate) principals.add(application);
  return principals;
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
