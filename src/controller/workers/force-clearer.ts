/**
 * Clears entities removed with --force that are still there at their deadline; one deadline covers all that goes with
 * an entity (removal.md#force-one-deadline). Part of the cleaner.
 */
import type { Ending, Life } from '../../core/life.ts';
import type { EntityRef, LivingKind } from '../../core/entity-ref.ts';
import { specs } from '../../core/specs.ts';
import type { Log } from '../../kit/log.ts';
import { clear, clearedAtOnceMax, clearPart, partsOf } from '../transactions/end/clear.ts';
import { isDue } from '../transactions/end/force.ts';
import { skippedBy } from '../transactions/end/skipped.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { WorkerNeeds } from './model-worker.ts';

interface Forced {
  readonly entity: EntityRef;
  readonly deadline: string;
  readonly by: string;
}

export class ForceClearer {
  readonly #needs: Pick<WorkerNeeds<'clock' | 'dispatch' | 'log'>, 'modelUuid' | 'services' | 'store'>;
  readonly #log: Log;
  readonly #subscriptions: readonly (() => void)[];
  /** True when new deadlines came in: all of them are checked. */
  #hasNewDeadlines = true;
  /** Earliest known deadline, in milliseconds since 1970. */
  #nextDeadline = Infinity;

  constructor(needs: Pick<WorkerNeeds<'clock' | 'dispatch' | 'log'>, 'modelUuid' | 'services' | 'store'>) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.cleaner');
    this.#subscriptions = forcedKinds.map((kind) =>
      needs.services.dispatch.on(needs.modelUuid, `${kind}@force forced`, ({ before, after }) => {
        const deadlineBefore = before?.force?.deadline;
        const deadlineAfter = after?.force?.deadline;
        if (deadlineAfter !== undefined && deadlineAfter !== deadlineBefore) this.#hasNewDeadlines = true;
      }),
    );
  }

  /** Clears what is due. Returns milliseconds until the next deadline. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const now = this.#needs.services.clock.now();
    if (!this.#hasNewDeadlines && now < this.#nextDeadline) return this.#untilNext(now);
    this.#hasNewDeadlines = false;
    this.#nextDeadline = Infinity;
    const errors: unknown[] = [];
    for (const forced of forcedOf(this.#read())) {
      const deadline = Date.parse(forced.deadline);
      if (deadline > now) {
        this.#nextDeadline = Math.min(this.#nextDeadline, deadline);
        continue;
      }
      // An entity that cannot be cleared does not delay the others.
      try {
        await this.#clearOne(forced, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        this.#log.error('cannot clear', { ...forced.entity, error });
        errors.push(error);
      }
    }
    if (errors.length > 0) {
      this.#hasNewDeadlines = true;
      throw errors[0];
    }
    return this.#untilNext(now);
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
  }

  async #clearOne({ entity, ...force }: Forced, signal: AbortSignal): Promise<void> {
    const skipped = skippedBy(this.#read(), entity);
    if (skipped.length > 0) this.#log.warning('clearing by force', { ...entity, askedBy: force.by, skipped });
    while (!(await this.#clearWhole(entity, force.by)))
      await inBatches(partsOf(this.#read(), entity), clearedAtOnceMax, signal, (parts) =>
        this.#change((tx) => {
          for (const part of parts) clearPart(tx, part, force);
        }, force.by),
      );
  }

  #clearWhole(entity: EntityRef, by: string): Promise<boolean> {
    return this.#change((tx) => !isDue(tx, tx.get(entity.kind, entity.id)) || clear(tx, entity), by);
  }

  #untilNext(now: number): number | undefined {
    return this.#nextDeadline === Infinity ? undefined : this.#nextDeadline - now;
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T, by: string): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

/** Order of clearing: machines take their units along, applications theirs; the compiler reports a missing kind. */
const order = {
  machine: true,
  application: true,
  relation: true,
  unit: true,
} satisfies Record<Exclude<LivingKind, 'model'>, true>;
const forcedKinds = Object.keys(order) as (keyof typeof order)[];

/**
 * Forced entities that are not cleared yet. Dead entities count as cleared: a machine's instance is left to the
 * provisioner. Only a unit that its agent has made dead still waits for that agent to recall it.
 */
function forcedOf(view: View): Forced[] {
  const found: Forced[] = [];
  const add = (entity: EntityRef, { force, life }: Ending & { readonly life: Life }): void => {
    if (force && (life !== 'dead' || entity.kind === 'unit')) found.push({ entity, ...force });
  };
  const addKind = <P extends keyof typeof order>(kind: P): void => {
    const { idOf } = specs[kind];
    for (const doc of view.find(kind, 'force', 'forced')) add({ kind, id: idOf(doc) }, doc);
  };
  forcedKinds.forEach(addKind);
  return found;
}
