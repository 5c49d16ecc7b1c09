/**
 * What no agent does: makes the units of dying applications dying, the subordinates of dying relations too, in
 * batches, and ends leases that ran out (seeds/004: never one change of 100,000 units).
 */
import type { Entities, RelationDoc, UnitDoc } from '../../core/entities.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { setUnitDying } from '../transactions/destroy-unit.ts';
import { removeApplicationIfUnreferenced } from '../transactions/remove-application.ts';
import type { Tx, View } from '../transactions/tx.ts';

const by = 'cleaner';
const batch = 200;
/** A lease may be granted at any time: how often to look for the earliest end. */
const leaseLookMs = 15_000;

export function createCleaner(needs: {
  store: Store<Entities>;
  services: Services;
  modelUuid: string;
}): (signal: AbortSignal) => Promise<number | void> {
  const { store, services, modelUuid } = needs;

  async function destroyAll(units: readonly UnitDoc[], signal: AbortSignal): Promise<void> {
    for (let n = 0; n < units.length; n += batch) {
      signal.throwIfAborted();
      await store.change((root) => {
        const tx = root.in(modelUuid);
        for (const { name } of units.slice(n, n + batch)) {
          const unit = tx.get('unit', name);
          if (unit?.life === 'alive') setUnitDying(tx, unit);
        }
      }, by);
    }
  }

  return async (signal) => {
    const view = store.read().in(modelUuid);
    for (const application of view.find('application', 'life', 'dying')) {
      await destroyAll([...view.find('unit', 'life', `${application.name} alive`)], signal);
      await store.change(
        (tx) => void removeApplicationIfUnreferenced(tx.in(modelUuid), application.name),
        by,
      );
    }
    for (const relation of view.find('relation', 'life', 'dying')) {
      const orphans = orphanedSubordinates(store.read().in(modelUuid), relation);
      if (orphans.length > 0) await destroyAll(orphans, signal);
    }
    const next = await endLeases(store, modelUuid, services.clock.now());
    return view.count('application') > 0 ? Math.min(next ?? Infinity, leaseLookMs) : undefined;
  };
}

/** Subordinates for which the dying relation was the last alive one with their principal's application. */
function orphanedSubordinates(view: View, relation: RelationDoc): UnitDoc[] {
  if (relation.endpoints[0]?.scope !== 'container') return [];
  const orphans: UnitDoc[] = [];
  for (const { application } of relation.endpoints) {
    if (!view.get('application', application)?.subordinate) continue;
    const alive = [...view.find('relation', 'application', application)].filter(
      (one) => one.life === 'alive' && one.endpoints[0]?.scope === 'container',
    );
    for (const unit of view.find('unit', 'life', `${application} alive`)) {
      const principal = unit.principal === undefined ? undefined : view.get('unit', unit.principal);
      if (
        !principal ||
        !relation.endpoints.some((endpoint) => endpoint.application === principal.application)
      )
        continue;
      if (
        alive.some((one) => one.endpoints.some((endpoint) => endpoint.application === principal.application))
      )
        continue;
      orphans.push(unit);
    }
  }
  return orphans;
}

/** Removes expired leases, so that agents hear of the vacancy. Returns milliseconds until the next expires. */
async function endLeases(
  store: Store<Entities>,
  modelUuid: string,
  now: number,
): Promise<number | undefined> {
  const view = store.read().in(modelUuid);
  const instant = new Date(now).toISOString();
  let next = Infinity;
  const expired: string[] = [];
  for (const lease of view.list('lease')) {
    if (lease.expiresAt <= instant) expired.push(lease.application);
    else next = Math.min(next, Date.parse(lease.expiresAt) - now);
  }
  if (expired.length > 0)
    await store.change((root) => {
      const tx: Tx = root.in(modelUuid);
      for (const application of expired) {
        const lease = tx.get('lease', application);
        if (lease && lease.expiresAt <= tx.now) tx.remove('lease', application);
      }
    }, by);
  return next === Infinity ? undefined : Math.max(next, 100);
}
