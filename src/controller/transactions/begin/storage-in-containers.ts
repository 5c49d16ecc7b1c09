/**
 * Storage of the cloud is attached to machines, not to containers (storage.md#operators): refusals of what would bring
 * it to a unit in one.
 */
import { JujuError } from '../../../core/errors.ts';
import { hostOf, unitApplication } from '../../../core/names.ts';
import type { StorageWish, StorageWishes } from '../../../core/storage/check-storage.ts';
import type { StorageDoc } from '../../../core/storage/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { principalsOf } from '../../../core/unit/orphan.ts';
import type { View } from '../tx.ts';

/**
 * Refuses a container for a principal that has storage of the cloud, or a subordinate with it. Errors: `not supported`.
 */
export function refuseInContainer(view: View, unit: string): void {
  for (const { id, pool, detachable } of view.find('storage', 'unit', unit))
    if (detachable) throw refusal(`unit "${unit}" cannot be in a container: its storage "${id}" is of`, pool);
  const application = unitApplication(unit);
  for (const { life, endpoints } of view.find('relation', 'application', application)) {
    if (life !== 'alive' || endpoints[0]?.scope !== 'container') continue;
    for (const { application: other } of endpoints) {
      const wished = other === application ? undefined : lastingOf(view.get('application', other));
      if (wished)
        throw refusal(
          `unit "${unit}" cannot be in a container: storage "${wished.name}" of its subordinate "${other}" is of`,
          wished.pool,
        );
    }
  }
}

/** Refuses to attach storage of the cloud to a unit in a container. Errors: `not supported`. */
export function refuseOnContainer(
  { name, machine }: Pick<UnitDoc, 'name' | 'machine'>,
  { pool, detachable }: StorageWish | StorageDoc,
): void {
  if (detachable && isContainer(machine))
    throw refusal(`unit "${name}" is in a container, and storage of`, pool);
}

/**
 * Refuses storage of the cloud for an application of which a unit, or a subordinate's principal, is in a container.
 * Errors: `not supported`.
 */
export function refuseUnitsInContainers(
  view: View,
  application: { readonly name: string; readonly subordinate: boolean; readonly storage?: StorageWishes },
): void {
  const wished = lastingOf(application);
  if (!wished) return;
  const { name, subordinate } = application;
  for (const one of [name, ...(subordinate ? principalsOf(view, name) : [])])
    for (const unit of view.find('unit', 'application', one))
      if (unit.life === 'alive' && isContainer(unit.machine))
        throw refusal(
          `unit "${unit.name}" is in a container, and storage "${wished.name}" of application "${name}" is of`,
          wished.pool,
        );
}

/** First storage of a new unit that outlives its machine. */
function lastingOf(
  application: { readonly storage?: StorageWishes } | undefined,
): { readonly name: string; readonly pool: string } | undefined {
  for (const [name, { detachable, count, pool }] of Object.entries(application?.storage ?? {}))
    if (detachable && count > 0) return { name, pool };
  return undefined;
}

function isContainer(machine: string | undefined): boolean {
  return machine !== undefined && hostOf(machine) !== machine;
}

function refusal(what: string, pool: string): JujuError {
  return new JujuError('not supported', `${what} pool "${pool}", which is attached to machines only`);
}
