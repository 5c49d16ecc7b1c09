/**
 * Clears what was removed with --force and is still there at its deadline; one deadline covers all that goes with an
 * entity (removal.md#force-one-deadline). Part of the cleaner.
 */
import type { Ending, Life } from '../../core/life.ts';
import type { Entities } from '../../core/kinds.ts';
import type { EntityRef, LivingKind } from '../../core/entity-ref.ts';
import { specs } from '../../core/specs.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { clear, clearedAtOnceMax, clearPart, partsOf } from '../transactions/clear.ts';
import { isDue } from '../transactions/force.ts';
import { skippedBy } from '../transactions/skipped.ts';
import type { View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';

interface Forced {
  readonly entity: EntityRef;
  readonly deadline: string;
  readonly by: string;
}

export function createForceClearer(needs: {
  store: Store<Entities>;
  services: Pick<Services, 'clock' | 'dispatch' | 'log'>;
  modelUuid: string;
}): {
  /** Returns milliseconds until the next deadline. */
  pass: (signal: AbortSignal) => Promise<number | undefined>;
  stop: () => void;
} {
  const { store, services, modelUuid } = needs;
  const log = services.log.module('grigri.cleaner');
  /** Deadlines are new: look at all of them. */
  let fresh = true;
  /** The earliest of those seen, in milliseconds since 1970. */
  let next = Infinity;
  const ends = forcedKinds.map((kind) =>
    services.dispatch.on(modelUuid, `${kind}@force forced`, ({ before, after }) => {
      const was = before?.force?.deadline;
      const is = after?.force?.deadline;
      if (is !== undefined && is !== was) fresh = true;
    }),
  );

  async function pass(signal: AbortSignal): Promise<number | undefined> {
    const now = services.clock.now();
    if (!fresh && now < next) return untilNext(now);
    fresh = false;
    next = Infinity;
    const failed: unknown[] = [];
    for (const forced of forcedOf(store.read().in(modelUuid))) {
      const deadline = Date.parse(forced.deadline);
      if (deadline > now) {
        next = Math.min(next, deadline);
        continue;
      }
      // One that cannot be cleared holds no other up.
      try {
        await clearOne(forced, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        log.error('cannot clear', { ...forced.entity, error });
        failed.push(error);
      }
    }
    if (failed.length > 0) {
      fresh = true;
      throw failed[0];
    }
    return untilNext(now);
  }

  async function clearOne({ entity, ...force }: Forced, signal: AbortSignal): Promise<void> {
    const skipped = skippedBy(store.read().in(modelUuid), entity);
    if (skipped.length > 0) log.warning('clearing by force', { ...entity, askedBy: force.by, skipped });
    while (!(await clearWhole(entity, force.by)))
      await inBatches(partsOf(store.read().in(modelUuid), entity), clearedAtOnceMax, signal, (parts) =>
        store.change((root) => {
          const tx = root.in(modelUuid);
          for (const part of parts) clearPart(tx, part, force);
        }, force.by),
      );
  }

  function clearWhole(entity: EntityRef, by: string): Promise<boolean> {
    return store.change((root) => {
      const tx = root.in(modelUuid);
      return !isDue(tx, tx.get(entity.kind, entity.id)) || clear(tx, entity);
    }, by);
  }

  function untilNext(now: number): number | undefined {
    return next === Infinity ? undefined : next - now;
  }

  return {
    pass,
    stop() {
      for (const end of ends) end();
    },
  };
}

/** Machines take their units along, applications theirs; the compiler says when a kind is missing. */
const order = {
  machine: true,
  application: true,
  relation: true,
  unit: true,
} satisfies Record<Exclude<LivingKind, 'model'>, true>;
const forcedKinds = Object.keys(order) as (keyof typeof order)[];

/**
 * The dead have been cleared: a machine's instance is the provisioner's affair. Only a unit that its agent has made dead
 * still waits, for that agent to recall it.
 */
function forcedOf(view: View): Forced[] {
  const found: Forced[] = [];
  const note = (entity: EntityRef, { force, life }: Ending & { readonly life: Life }): void => {
    if (force && (life !== 'dead' || entity.kind === 'unit')) found.push({ entity, ...force });
  };
  const noteAll = <P extends keyof typeof order>(kind: P): void => {
    const { idOf } = specs[kind];
    for (const doc of view.find(kind, 'force', 'forced')) note({ kind, id: idOf(doc) }, doc);
  };
  forcedKinds.forEach(noteAll);
  return found;
}
