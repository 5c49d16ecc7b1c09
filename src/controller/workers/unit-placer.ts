/**
 * Gives units their machines when the requirements of their application are met (core/requirements): until then they
 * wait without one. Units are placed in batches, an application's in the order of their numbers.
 */
import { isUnitName, unitApplication } from '../../core/names.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import type { Log } from '../../kit/log.ts';
import { placeWaiting } from '../transactions/begin/place-waiting.ts';
import { settleRequirements } from '../transactions/shared/requirements.ts';
import type { View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'unit-placer';
const batch = 100;

type Needs = WorkerNeeds<'dispatch' | 'environ' | 'log' | 'nextTurn'>;

export class UnitPlacer implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #view: View;
  /** Applications and single units to look at. */
  readonly #dirty: DirtyIds;
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.unit-placer');
    const view = (this.#view = needs.store.read().in(needs.modelUuid));
    this.#dirty = new DirtyIds(() => [...view.list('application')].map(({ name }) => name));
    const { dispatch } = needs.services;
    this.#subscriptions = [
      dispatch.on(needs.modelUuid, 'application', ({ id, before, after }) => {
        if (before?.pending && after && !after.pending) this.#add([id]);
      }),
      // Subordinates that had lost their principal may have it again.
      dispatch.on(needs.modelUuid, 'relation', ({ before, after }) => {
        const endpoints = before ? [] : (after?.endpoints ?? []);
        if (endpoints[0]?.scope === 'container') this.#add(endpoints.map(({ application }) => application));
      }),
      // The reason that prevented a placement on this machine may be gone.
      dispatch.on(needs.modelUuid, 'machine', ({ id, before, after }) => {
        const lifeChanged = before?.life !== after?.life;
        if (!lifeChanged || view.count('unit', 'named', id) === 0) return;
        const stuck = [...view.find('unit', 'named', id)].filter(
          ({ unplaced }) => unplaced?.problem !== undefined,
        );
        this.#add(stuck.map(({ name }) => name));
      }),
    ];
  }

  async pass(signal: AbortSignal): Promise<void> {
    if (this.#dirty.isEmpty) return;
    // The request that met the requirements is answered first.
    await new Promise<void>((resolve) => this.#needs.services.nextTurn(resolve));
    await this.#dirty.take(async (ids, all) => {
      if (all) await this.#settleUnevaluated();
      const units = [...this.#unplacedOf(ids)];
      if (units.length > 0) await this.#place(units, signal);
    });
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
  }

  #add(ids: Iterable<string>): void {
    if (this.#dirty.add(ids) > 0) this.#needs.wake();
  }

  /** Evaluates the requirements of applications that were deployed before requirements existed and have one. */
  async #settleUnevaluated(): Promise<void> {
    const { store, modelUuid } = this.#needs;
    const names = [...this.#view.list('application')].flatMap(({ name, subordinate, pending }) =>
      subordinate && !pending ? [name] : [],
    );
    if (names.length > 0) await store.change((tx) => settleRequirements(tx.in(modelUuid), names), by);
  }

  async #place(units: Iterable<string>, signal: AbortSignal): Promise<void> {
    const { store, services, modelUuid } = this.#needs;
    const { containers } = services.environ(modelUuid, this.#view);
    const containerTypes = containers?.types ?? [];
    await inBatches(units, batch, signal, async (names) => {
      const placed = await store.change(
        (tx) => placeWaiting(tx.in(modelUuid), { units: names, containerTypes }),
        by,
      );
      for (const [application, count] of placed)
        this.#log.info('requirements met, units placed', { application, units: count });
    });
  }

  /**
   * Unplaced units; those of an application are found in the order in which they were created: that of their numbers.
   */
  *#unplacedOf(ids: readonly string[]): Generator<string> {
    const groups = Map.groupBy(ids, (id) => (isUnitName(id) ? unitApplication(id) : id));
    for (const [name, members] of groups) {
      if (!this.#isReady(name)) continue;
      if (!members.includes(name)) yield* members;
      else for (const unit of this.#view.find('unit', 'unplaced', name)) yield unit.name;
    }
  }

  #isReady(name: string): boolean {
    const application = this.#view.get('application', name);
    if (application?.life !== 'alive' || application.pending) return false;
    return this.#view.count('unit', 'unplaced', name) > 0;
  }
}
