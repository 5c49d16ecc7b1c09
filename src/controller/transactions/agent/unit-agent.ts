/** What a unit's agent changes in its unit's record. */
import type { UnitDoc } from '../../../core/unit/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { impediments } from '../../../core/impediments.ts';
import { removeUnit } from '../end/remove-unit.ts';
import { setUnitDying } from '../end/destroy-unit.ts';
import { mustGet, type Tx } from '../tx.ts';

/** The deployer has begun. Errors: 'dead' when the unit is not alive any more: it is then removed without starting. */
export function unitDeployed(tx: Tx, name: string): void {
  const unit = mustGet(tx, 'unit', name);
  if (unit.deployed) return;
  if (unit.life !== 'alive') throw new JujuError('dead', `unit "${name}" is ${unit.life}`);
  tx.put('unit', name, { ...unit, deployed: true });
}

/** Errors: 'dead'. */
export function saveAgentState(tx: Tx, args: { unit: string; agentState: unknown }): void {
  liveUnit(tx, args.unit);
  const old = tx.get('unit-state', args.unit);
  tx.put('unit-state', args.unit, {
    unit: args.unit,
    lastHook: old?.lastHook ?? '',
    charm: old?.charm ?? {},
    agent: args.agentState,
  });
}

export function clearResolved(tx: Tx, name: string): void {
  const unit = mustGet(tx, 'unit', name);
  if (unit.resolved !== '') tx.put('unit', name, { ...unit, resolved: '' });
}

/** Shown for the unit, and for its application. */
export function setWorkloadVersion(tx: Tx, args: { unit: string; version: string }): void {
  const unit = mustGet(tx, 'unit', args.unit);
  if (unit.workloadVersion !== args.version)
    tx.put('unit', unit.name, { ...unit, workloadVersion: args.version });
  const application = tx.get('application', unit.application);
  if (application && application.workloadVersion !== args.version)
    tx.put('application', application.name, { ...application, workloadVersion: args.version });
}

export function destroySubordinates(tx: Tx, name: string): void {
  for (const subordinate of tx.find('unit', 'principal', name)) setUnitDying(tx, subordinate);
}

/** A unit whose agent may still do things in its name. Errors: `not found`, `dead`. */
export function liveUnit(tx: Tx, name: string): UnitDoc {
  const unit = mustGet(tx, 'unit', name);
  if (unit.life === 'dead') throw new JujuError('dead', `unit "${name}" is dead`);
  return unit;
}

/** Errors: `unit has subordinates`; '' while it is alive or in a relation's scope. Idempotent. */
export function setUnitDead(tx: Tx, name: string): void {
  const unit = mustGet(tx, 'unit', name);
  if (unit.life === 'dead') return;
  if (unit.life === 'alive') throw new JujuError('', `unit "${name}" is alive`);
  const [impediment] = impediments({ kind: 'unit', id: name }, tx, 1);
  if (impediment)
    throw new JujuError(impediment.kind === 'subordinate' ? 'unit has subordinates' : '', impediment.text);
  const lease = tx.get('lease', unit.application);
  if (lease?.holder === name) tx.remove('lease', unit.application);
  tx.put('unit', name, { ...unit, life: 'dead' });
}

/** The deployer's: the dead unit was recalled, or the dying one never deployed. Gone already is no error. */
export function removeRecalledUnit(tx: Tx, name: string): void {
  const unit = tx.get('unit', name);
  if (!unit) return;
  if (unit.life === 'alive' || (unit.life === 'dying' && unit.deployed))
    throw new JujuError('', `cannot remove unit "${name}": unit is not dead`);
  removeUnit(tx, unit);
}
