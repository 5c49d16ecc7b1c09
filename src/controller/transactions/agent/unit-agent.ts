/** Changes that a unit's agent makes to its unit's record. */
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { charmOfUnit, isHeld } from '../../../core/rollout/rollout.ts';
import { JujuError } from '../../../core/errors.ts';
import { impediments } from '../../../core/impediments.ts';
import { forgetOlderCharm } from '../end/forget-older-charm.ts';
import { removeUnit } from '../end/remove-unit.ts';
import { setUnitDying } from '../end/destroy-unit.ts';
import { mustGet, statusOf, type Tx } from '../tx.ts';
import { withRetry } from '../shared/retry-hook.ts';
import { refuseWhileHeld } from './restored-units.ts';
import { takeStorage } from './take-storage.ts';

/**
 * Records that the deployer has started the unit. Errors: 'dead' when the unit is not alive: it is then removed without
 * starting.
 */
export function unitDeployed(tx: Tx, name: string): void {
  const unit = mustGet(tx, 'unit', name);
  if (unit.deployed) return;
  if (unit.life !== 'alive') throw new JujuError('dead', `unit "${name}" is ${unit.life}`);
  tx.put('unit', name, { ...unit, deployed: true });
}

/** Saves the agent's state between hooks. Errors: 'dead'; those of refuseWhileHeld. */
export function saveAgentState(tx: Tx, args: { unit: string; agentState: unknown }): void {
  refuseWhileHeld(tx);
  liveUnit(tx, args.unit);
  const old = tx.get('unit-state', args.unit);
  tx.put('unit-state', args.unit, {
    unit: args.unit,
    lastHook: old?.lastHook ?? '',
    charm: old?.charm ?? {},
    agent: args.agentState,
  });
}

/**
 * Records that the unit's agent is about to deploy the application's charm, with the contents of resources of a
 * version: from now on the unit counts as running it. Errors: '' when it is to run another charm now, so that the agent
 * plans anew in place of asking again; `dead`.
 */
export function setUnitCharm(
  tx: Tx,
  args: { readonly unit: string; readonly charmUrl: string; readonly charmModifiedVersion?: number },
): void {
  const unit = liveUnit(tx, args.unit);
  const application = mustGet(tx, 'application', unit.application);
  const charmUrl = charmOfUnit(application, unit);
  const { charmModifiedVersion: wanted = 0 } = isHeld(application, unit) ? unit : application;
  if (charmUrl !== args.charmUrl)
    throw new JujuError('', `unit "${unit.name}" is to run charm ${charmUrl} now`);
  if (args.charmModifiedVersion !== undefined && args.charmModifiedVersion !== wanted)
    throw new JujuError('', `unit "${unit.name}" is to have other resources of charm ${charmUrl} now`);
  const isModified = unit.charmModifiedVersion !== undefined && unit.charmModifiedVersion !== wanted;
  if (unit.charmUrl === charmUrl && !isModified) return;
  const taken = { ...unit, charmUrl, ...(isModified && { charmModifiedVersion: wanted }) };
  tx.put('unit', unit.name, afterTaking(tx, taken, application));
  if (unit.charmUrl === charmUrl) return;
  takeStorage(tx, unit, charmUrl);
  forgetOlderCharm(tx, unit);
}

/**
 * Returns a unit that has just taken another charm or resources. Its failed hook is run again with that when it is one
 * of a batch, or one before the install (unit-agent.md#failed-install).
 */
function afterTaking(tx: Tx, unit: UnitDoc, { forceCharm }: ApplicationDoc): UnitDoc {
  const isInBatch = unit.released !== undefined;
  const { data } = statusOf(tx, 'unit-agent', unit.name, unit.createdAt);
  const taken = isInBatch ? { ...unit, takenAt: tx.now } : unit;
  return (isInBatch && forceCharm) || data?.['installed'] === false ? withRetry(tx, taken) : taken;
}

export function clearResolved(tx: Tx, name: string): void {
  const unit = mustGet(tx, 'unit', name);
  if (unit.resolved !== '') tx.put('unit', name, { ...unit, resolved: '' });
}

/** Sets the workload version that is shown for the unit and for its application. */
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

/** Returns a unit whose agent may still act in its name. Errors: `not found`, `dead`. */
export function liveUnit(tx: Tx, name: string): UnitDoc {
  const unit = mustGet(tx, 'unit', name);
  if (unit.life === 'dead') throw new JujuError('dead', `unit "${name}" is dead`);
  return unit;
}

/**
 * Makes a unit dead. Idempotent. Errors: `unit has subordinates`; '' while the unit is alive or in a relation's scope.
 */
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

/**
 * Removes a unit for its deployer: a dead unit that was recalled, or a dying unit that was never deployed. A missing
 * unit is no error.
 */
export function removeRecalledUnit(tx: Tx, name: string): void {
  const unit = tx.get('unit', name);
  if (!unit) return;
  if (unit.life === 'alive' || (unit.life === 'dying' && unit.deployed))
    throw new JujuError('', `cannot remove unit "${name}": unit is not dead`);
  removeUnit(tx, unit);
}
