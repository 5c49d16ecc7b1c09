/**
 * Clearing by --force at the deadline (removal.md#force-clears-like-agents): units and scopes are removed without their
 * agents, by the same changes that the agents would have made, so that everything that refers to them stays right.
 */
import { earlier, type Force } from '../../../core/life.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { EntityRef } from '../../../core/entity-ref.ts';
import { countContents } from '../../../core/machine/living.ts';
import { leaveScope, removeRelationIfEmpty } from './leave-scope.ts';
import { removeApplicationIfUnreferenced } from './remove-application.ts';
import { endMachine } from './remove-machine.ts';
import { removeUnit } from './remove-unit.ts';
import { markTold } from './mark-told.ts';
import { mustGet, type Tx, type View } from '../tx.ts';
import { defined } from '../../../core/defined.ts';
import { limits } from '../../../core/limits.ts';

/** Maximum number of units and scopes that one change clears. */
export const clearedAtOnceMax = 100;

/** Part of an entity to clear: a unit with its subordinates, or a unit's place in a relation. */
interface Part {
  readonly unit: string;
  readonly relation?: string;
}

/**
 * Clears the dying entity whole, in this change. Returns false without a change when the entity is too large for one
 * change: its parts have to be cleared before.
 */
export function clear(tx: Tx, entity: EntityRef): boolean {
  if (!isSmall(tx, entity)) return false;
  const force = entity.kind === 'model' ? undefined : tx.get(entity.kind, entity.id)?.force;
  for (let parts = partsOf(tx, entity); parts.length > 0; parts = partsOf(tx, entity))
    for (const part of parts) clearPart(tx, part, force);
  switch (entity.kind) {
    case 'application':
      for (const { id } of tx.find('relation', 'application', entity.id)) leaveUntold(tx, String(id));
      removeApplicationIfUnreferenced(tx, entity.id);
      break;
    case 'relation':
      leaveUntold(tx, entity.id);
      removeRelationIfEmpty(tx, entity.id);
      break;
    case 'machine':
      clearMachine(tx, entity.id);
      break;
    case 'unit':
    case 'model':
      break;
  }
  return true;
}

/** Parts that must be cleared before the entity can go; a cleared unit takes much else with it. */
export function partsOf(view: View, { kind, id }: EntityRef): Part[] {
  switch (kind) {
    case 'unit':
      return view.get('unit', id) ? [{ unit: id }] : [];
    case 'relation':
      return scopesOf(view, id);
    case 'machine':
      return machinesOf(view, id).flatMap((machine) =>
        [...view.find('unit', 'machine', machine)].filter(isPrincipal).map(({ name }) => ({ unit: name })),
      );
    case 'application':
      if (view.count('unit', 'application', id) > 0)
        return [...view.find('unit', 'application', id)].map(({ name }) => ({ unit: name }));
      return [...view.find('relation', 'application', id)].flatMap((relation) =>
        scopesOf(view, String(relation.id)),
      );
    case 'model':
      return [];
  }
}

/**
 * Clears one part. A machine that goes with the unit is cleared at once: its agent may be the unit's, which was not
 * waited for either.
 */
export function clearPart(tx: Tx, { unit: name, relation }: Part, force: Force | undefined): void {
  if (relation !== undefined) return leaveScope(tx, { unit: name, relation });
  const unit = tx.get('unit', name);
  if (!unit) return;
  for (const subordinate of tx.find('unit', 'principal', name)) removeUnit(tx, subordinate);
  removeUnit(tx, unit);
  const machine = unit.machine === undefined ? undefined : tx.get('machine', unit.machine);
  if (unit.principal !== undefined || machine?.life !== 'dying') return;
  // The machine's storage is detached from the instance when the machine's record is gone.
  if (machine.isController || countContents(machine.id, tx) > 0) return;
  const earliestForce = earlier(machine.force, force);
  endMachine(tx, { ...machine, ...defined({ force: earliestForce }) });
}

/** The machine and all containers in it, the innermost first. */
export function machinesOf(view: View, id: string): string[] {
  return [...[...view.find('machine', 'parent', id)].flatMap((one) => machinesOf(view, one.id)), id];
}

/** True when the entity can be cleared in one change; parts are counted, not listed. */
function isSmall(tx: Tx, { kind, id }: EntityRef): boolean {
  switch (kind) {
    case 'unit':
    case 'model':
      return true;
    case 'relation':
      return tx.count('scope', 'local', id) <= clearedAtOnceMax;
    case 'machine': {
      let units = 0;
      for (const machine of machinesOf(tx, id)) units += tx.count('unit', 'machine', machine);
      return units <= clearedAtOnceMax;
    }
    case 'application': {
      let parts = tx.count('unit', 'application', id);
      for (const relation of tx.find('relation', 'application', id))
        parts += tx.count('scope', 'local', String(relation.id));
      return parts <= clearedAtOnceMax;
    }
  }
}

function scopesOf(view: View, relation: string): Part[] {
  return [...view.find('scope', 'local', relation)].map(({ unit }) => ({ unit, relation }));
}

function isPrincipal(unit: UnitDoc): boolean {
  return unit.principal === undefined;
}

/** Clears a machine. Its containers go with its instance: nothing else releases them. */
function clearMachine(tx: Tx, id: string): void {
  for (const machineId of machinesOf(tx, id)) {
    const machine = tx.get('machine', machineId);
    if (machine && !machine.isController) endMachine(tx, machine, machineId !== id);
  }
}

/**
 * Records the end of a relation removed by force for its other side, which is told of it later, as nobody waits for
 * that side here (offers.md#told-before-gone).
 */
function leaveUntold(tx: Tx, id: string): void {
  const { life, remote } = tx.get('relation', id) ?? {};
  if (!remote?.consumed || life === 'alive') return;
  const { state, applicationToken, macaroon } = remote.consumed;
  const { model = '', saas } = tx.get('remote-application', remote.application) ?? {};
  const { controller = '' } = saas?.elsewhere ?? {};
  // Another controller that has not answered yet has given no macaroon, and believes no message without one.
  const canBeTold = state !== 'told' && (controller === '' || macaroon !== undefined);
  // A removal by force is never refused: ends beyond the limit stay untold.
  if (canBeTold && tx.count('relation-end') < limits.relationEnds.max)
    tx.put('relation-end', remote.token, {
      token: remote.token,
      applicationToken,
      model,
      controller,
      ...defined({ macaroon }),
    });
  markTold(tx, mustGet(tx, 'relation', id));
}
