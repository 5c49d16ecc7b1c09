/**
 * The cleaner does what no agent does: it makes the units of dying applications dying, and subordinates that no
 * relation holds to their principal any more; it removes very many databags, clears what was forced and ends leases
 * that ran out. All of that goes in batches, never in one change of 100,000 units (lives.md#nothing-of-many-at-once).
 */
import { settingsId } from '../../core/settings/document.ts';
import type { Entities } from '../../core/kinds.ts';
import { orphansOf, principalsOf } from '../../core/unit/orphan.ts';
import { unitApplication } from '../../core/names.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { setUnitDying } from '../transactions/destroy-unit.ts';
import { removeRelationIfEmpty } from '../transactions/leave-scope.ts';
import { removeApplicationIfUnreferenced } from '../transactions/remove-application.ts';
import type { Tx } from '../transactions/tx.ts';
import { createForceClearer } from './force-clearer.ts';
import { inBatches } from './in-batches.ts';

const by = 'cleaner';
const batch = 100;
/** A lease may be granted at any time: how often to look for the earliest end. */
const leaseLookMs = 15_000;

export function createCleaner(needs: {
  store: Store<Entities>;
  services: Pick<Services, 'clock' | 'dispatch' | 'log' | 'nextTurn'>;
  modelUuid: string;
}): {
  pass: (signal: AbortSignal) => Promise<number | void>;
  stop: () => void;
} {
  const { store, services, modelUuid } = needs;
  const clearer = createForceClearer(needs);
  /** Applications whose units are to be told; undefined = look at all, as after a start. */
  let ending: Set<string> | undefined;
  /** Subordinate applications that have lost a relation; undefined as above. */
  let bereft: Set<string> | undefined;
  const stops = [
    services.dispatch.on(modelUuid, 'application', ({ id, before, after }) => {
      if (before?.life === 'alive' && after?.life === 'dying') ending?.add(id);
    }),
    services.dispatch.on(modelUuid, 'relation', ({ before: relation, after }) => {
      const ends = relation?.life === 'alive' && after?.life !== 'alive';
      if (!ends || relation.endpoints[0]?.scope !== 'container') return;
      for (const { application } of relation.endpoints) bereft?.add(application);
    }),
  ];

  async function endUnits(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    const names = ending ?? new Set([...view.find('application', 'life', 'dying')].map((one) => one.name));
    ending = new Set();
    // The turn in which it was made dying is its answer's, which may be long.
    if (names.size > 0) await new Promise<void>((resolve) => services.nextTurn(resolve));
    try {
      for (const name of names) {
        await destroyUnits(aliveUnits(name), signal, (tx) => {
          // Its name may be another application's by now.
          const going = tx.get('application', name)?.life === 'dying';
          return () => going;
        });
        await change((tx) => void removeApplicationIfUnreferenced(tx, name));
      }
    } catch (error) {
      for (const name of names) ending.add(name);
      throw error;
    }
  }

  async function endOrphans(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    const names = bereft ?? new Set([...view.list('application')].map((one) => one.name));
    bereft = new Set();
    try {
      for (const name of names) {
        if (!view.get('application', name)?.subordinate) continue;
        const orphans = orphansOf(view, name).map((unit) => unit.name);
        await destroyUnits(orphans, signal, (tx) => {
          const principals = principalsOf(tx, name);
          return ({ principal = '' }) => !principals.has(unitApplication(principal));
        });
      }
    } catch (error) {
      for (const name of names) bereft.add(name);
      throw error;
    }
  }

  /** Dead relations have more databags than go in one change. */
  async function emptyDead(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    for (const relation of view.find('relation', 'life', 'dead')) {
      const id = String(relation.id);
      const owners = [...view.find('settings', 'relation', id)].map(({ owner }) => owner);
      await inBatches(owners, batch, signal, (some) =>
        change((tx) => {
          for (const owner of some) tx.remove('settings', settingsId({ relation: id, owner }));
        }),
      );
      await change((tx) => removeRelationIfEmpty(tx, id));
    }
  }

  async function destroyUnits(
    names: Iterable<string>,
    signal: AbortSignal,
    rule: (tx: Tx) => (unit: Entities['unit']) => boolean,
  ): Promise<void> {
    await inBatches(names, batch, signal, (some) =>
      change((tx) => {
        const must = rule(tx);
        for (const name of some) {
          const unit = tx.get('unit', name);
          if (unit?.life === 'alive' && must(unit)) setUnitDying(tx, unit);
        }
      }),
    );
  }

  /** Looked through as they are taken: with very many even that takes its time. */
  function* aliveUnits(application: string): Generator<string> {
    for (const unit of store.read().in(modelUuid).find('unit', 'application', application))
      if (unit.life === 'alive') yield unit.name;
  }

  function change<T>(fn: (tx: Tx) => T): Promise<T> {
    return store.change((root) => fn(root.in(modelUuid)), by);
  }

  async function pass(signal: AbortSignal): Promise<number | void> {
    await endUnits(signal);
    await endOrphans(signal);
    await emptyDead(signal);
    const lease = await endLeases(store, modelUuid, services.clock.now());
    const due = await clearer.pass(signal);
    const leases = store.read().in(modelUuid).count('application') > 0;
    const delay = Math.min(due ?? Infinity, lease ?? Infinity, leases ? leaseLookMs : Infinity);
    return delay === Infinity ? undefined : delay;
  }

  return {
    pass,
    stop() {
      for (const end of stops) end();
      clearer.stop();
    },
  };
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
