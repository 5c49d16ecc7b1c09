/**
 * What no agent does: makes the units of dying applications dying, and subordinates that no relation holds to their
 * principal any more, in batches, and ends leases that ran out (seeds/004: never one change of 100,000 units).
 */
import type { Entities, RelationDoc, UnitDoc } from '../../core/entities.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { isOrphan, orphansOf } from '../../core/unit/orphan.ts';
import { setUnitDying } from '../transactions/destroy-unit.ts';
import { removeApplicationIfUnreferenced } from '../transactions/remove-application.ts';
import type { Tx, View } from '../transactions/tx.ts';

const by = 'cleaner';
const batch = 200;
/** A lease may be granted at any time: how often to look for the earliest end. */
const leaseLookMs = 15_000;

export function createCleaner(needs: { store: Store<Entities>; services: Services; modelUuid: string }): {
  pass: (signal: AbortSignal) => Promise<number | void>;
  stop: () => void;
} {
  const { store, services, modelUuid } = needs;
  /** Subordinate applications that have lost a relation; undefined = look at all, as after a start. */
  let bereft: Set<string> | undefined;
  const stop = services.dispatch.on(modelUuid, 'relation', ({ before, after }) => {
    const relation = before as RelationDoc | undefined;
    const ends = relation?.life === 'alive' && (after as RelationDoc | undefined)?.life !== 'alive';
    if (!ends || relation.endpoints[0]?.scope !== 'container') return;
    for (const { application } of relation.endpoints) bereft?.add(application);
  });

  async function destroyAll(
    units: readonly UnitDoc[],
    signal: AbortSignal,
    may: (tx: Tx, unit: UnitDoc) => boolean,
  ): Promise<void> {
    for (let n = 0; n < units.length; n += batch) {
      signal.throwIfAborted();
      await store.change((root) => {
        const tx = root.in(modelUuid);
        for (const { name } of units.slice(n, n + batch)) {
          const unit = tx.get('unit', name);
          if (unit?.life === 'alive' && may(tx, unit)) setUnitDying(tx, unit);
        }
      }, by);
    }
  }

  async function destroyOrphans(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    const applications = bereft ?? new Set([...view.list('application')].map((one) => one.name));
    bereft = new Set();
    try {
      for (const name of applications)
        if (view.get('application', name)?.subordinate)
          await destroyAll(orphansOf(view, name), signal, isOrphan);
    } catch (error) {
      for (const name of applications) bereft.add(name);
      throw error;
    }
  }

  async function pass(signal: AbortSignal): Promise<number | void> {
    const view = store.read().in(modelUuid);
    for (const application of view.find('application', 'life', 'dying')) {
      await destroyAll(aliveUnits(view, application.name), signal, (tx, unit) => {
        // Its name may be another application's by now.
        return tx.get('application', unit.application)?.life === 'dying';
      });
      await store.change(
        (tx) => void removeApplicationIfUnreferenced(tx.in(modelUuid), application.name),
        by,
      );
    }
    await destroyOrphans(signal);
    const next = await endLeases(store, modelUuid, services.clock.now());
    return view.count('application') > 0 ? Math.min(next ?? Infinity, leaseLookMs) : undefined;
  }

  return { pass, stop };
}

function aliveUnits(view: View, application: string): UnitDoc[] {
  return [...view.find('unit', 'application', application)].filter((unit) => unit.life === 'alive');
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
