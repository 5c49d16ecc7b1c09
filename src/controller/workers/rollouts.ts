/** Releases units to the charm of a rolling refresh, batch by batch (refresh.md#rolling). */
import { unitApplication } from '../../core/names.ts';
import { planRollout } from '../../core/rollout/plan-rollout.ts';
import { rolloutSnapshot } from '../../core/rollout/snapshot.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import { advanceRollout } from '../transactions/change/rollout.ts';
import type { View } from '../transactions/tx.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'rollouts';

/** Rest after a pass, for each unit of the batches that it read: each unit reports many statuses meanwhile. */
const restMs = 1;
const restMaxMs = 2000;

type Needs = WorkerNeeds<'clock' | 'dispatch' | 'nextTurn' | 'presence'>;

/** Roll-outs: documents alone say what each waits for, so that a killed controller goes on where it was. */
export class Rollouts implements ModelWorker {
  readonly #needs: Needs;
  readonly #view: View;
  /** Applications to look at. */
  readonly #dirty: DirtyIds;
  readonly #ends: readonly (() => void)[];
  /** Time before which no pass begins, in milliseconds. */
  #restsUntil = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
    const view = (this.#view = needs.store.read().in(needs.modelUuid));
    this.#dirty = new DirtyIds(() => [...this.#active()]);
    const { dispatch, presence } = needs.services;
    const { modelUuid } = needs;
    this.#ends = [
      dispatch.on(modelUuid, 'application@rollout rollout', ({ id }) => this.#add(id)),
      dispatch.on(modelUuid, 'unit', ({ before, after }) => this.#add((after ?? before)!.application)),
      dispatch.on(modelUuid, 'status', ({ after }) => {
        if (after?.kind === 'unit-agent' || after?.kind === 'workload')
          this.#add(unitApplication(after.entity));
      }),
      presence.watch((model, machine) => {
        if (model !== modelUuid || this.#count() === 0) return;
        for (const unit of view.find('unit', 'machine', machine)) this.#add(unit.application);
      }),
    ];
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  async pass(signal: AbortSignal): Promise<number | undefined> {
    if (this.#dirty.isEmpty) return undefined;
    const { store, services, modelUuid } = this.#needs;
    const rest = this.#restsUntil - services.clock.now();
    // A clock that was set back must not lengthen the rest.
    if (rest > 0 && rest <= restMaxMs) return rest;
    let read = 0;
    const present = (machine: string): boolean => services.presence.isPresent(modelUuid, machine);
    await this.#dirty.take(async (ids) => {
      for (const name of ids) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => services.nextTurn(resolve));
        const application = this.#view.get('application', name);
        const { rollout } = application ?? {};
        if (!application || !rollout) continue;
        const snapshot = rolloutSnapshot(this.#view, { ...application, rollout }, present);
        read += snapshot.batch.length;
        const { kind } = planRollout(snapshot);
        if (kind === 'wait' || kind === 'rest') continue;
        await store.change((tx) => advanceRollout(tx.in(modelUuid), { application: name, present }), by);
      }
    });
    this.#restsUntil = services.clock.now() + Math.min(read * restMs, restMaxMs);
    return undefined;
  }

  #add(name: string): void {
    if (this.#count() === 0 || !this.#view.get('application', name)?.rollout) return;
    this.#dirty.add([name]);
    this.#needs.wake();
  }

  #count(): number {
    return this.#view.count('application', 'rollout', 'rollout');
  }

  *#active(): Iterable<string> {
    for (const { name } of this.#view.find('application', 'rollout', 'rollout')) yield name;
  }
}
