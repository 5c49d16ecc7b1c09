/**
 * Opens gates between applications when the health that they wait for is reached (required-endpoints.md#gates). Which
 * units of an application are not healthy is kept here, so that each change of a unit costs the same however many
 * others there are; all of it is read again after a restart.
 */
import { closedGates, type ClosedGate } from '../../core/gates/gate.ts';
import { unitApplication } from '../../core/names.ts';
import { healthOfUnit, whyUnhealthy } from '../../core/rollout/health.ts';
import { conditionOf } from '../../core/rollout/rollout.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import type { Log } from '../../kit/log.ts';
import { openGate } from '../transactions/change/open-gate.ts';
import type { View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'gate-keeper';
const batch = 500;

type Needs = WorkerNeeds<'dispatch' | 'log' | 'nextTurn' | 'presence'>;

/** A condition on the health of an application. */
interface Watched {
  readonly isMet: ReturnType<typeof conditionOf>;
  /** Applications that wait for it. */
  readonly waiting: Set<string>;
  /** The alive units of the application. */
  readonly healthy: Set<string>;
  readonly unhealthy: Set<string>;
}

export class GateKeeper implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #view: View;
  /** Applications whose gates have changed. */
  readonly #gates: DirtyIds;
  /** Application that waits → its closed gates. */
  readonly #closed = new Map<string, readonly ClosedGate[]>();
  /** Application that is waited for → expression → the condition. */
  readonly #watched = new Map<string, Map<string, Watched>>();
  /** Application to look at, which is waited for → its units that have changed. */
  readonly #changed = new Map<string, Set<string>>();
  readonly #ends: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.gate-keeper');
    const view = (this.#view = needs.store.read().in(needs.modelUuid));
    this.#gates = new DirtyIds(() =>
      [...view.find('application', 'pending', 'pending')].map(({ name }) => name),
    );
    const { dispatch, presence } = needs.services;
    const { modelUuid } = needs;
    this.#ends = [
      dispatch.on(modelUuid, 'application', ({ id, before, after }) => {
        if (before?.after === after?.after && before?.life === after?.life) return;
        if (!before?.after && !after?.after) return;
        this.#gates.add([id]);
        needs.wake();
      }),
      dispatch.on(modelUuid, 'unit', ({ id }) => this.#unitChanged(id)),
      dispatch.on(modelUuid, 'status', ({ before, after }) => {
        const { kind, entity = '' } = after ?? before ?? {};
        if (kind === 'unit-agent' || kind === 'workload') this.#unitChanged(entity);
      }),
      presence.watch((model, machine) => {
        if (model !== modelUuid || this.#watched.size === 0) return;
        for (const { name } of view.find('unit', 'machine', machine)) this.#unitChanged(name);
      }),
    ];
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  async pass(signal: AbortSignal): Promise<void> {
    if (!this.#gates.isEmpty)
      await this.#gates.take(async (names) =>
        inBatches(names, batch, signal, async (some) => {
          for (const name of some) this.#record(name);
          await this.#pause();
        }),
      );
    // What changes meanwhile is for the next pass.
    const changed = [...this.#changed];
    for (const [name, units] of changed) {
      this.#changed.delete(name);
      try {
        await inBatches(units, batch, signal, async (some) => {
          for (const unit of some) this.#look(unit);
          await this.#pause();
        });
        // Units that have changed meanwhile are looked at first, by the pass that they asked for.
        if (!this.#changed.has(name)) await this.#open(name);
      } catch (error) {
        this.#markChanged(name, units);
        throw error;
      }
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#needs.services.nextTurn(resolve));
  }

  #unitChanged(unit: string): void {
    const name = unitApplication(unit);
    if (!this.#watched.has(name)) return;
    this.#markChanged(name, [unit]);
    this.#needs.wake();
  }

  #markChanged(name: string, units: Iterable<string>): void {
    const known = this.#changed.get(name) ?? new Set();
    for (const unit of units) known.add(unit);
    this.#changed.set(name, known);
  }

  /** Takes note of the gates that the application has now. */
  #record(waiting: string): void {
    for (const { application, health } of this.#closed.get(waiting) ?? []) {
      const conditions = this.#watched.get(application);
      const watched = conditions?.get(health);
      watched?.waiting.delete(waiting);
      if (watched?.waiting.size === 0) conditions?.delete(health);
      if (conditions?.size === 0) this.#watched.delete(application);
    }
    const { life, after } = this.#view.get('application', waiting) ?? {};
    const closed = life === 'alive' ? closedGates(after) : [];
    if (closed.length > 0) this.#closed.set(waiting, closed);
    else this.#closed.delete(waiting);
    for (const { application, health } of closed) this.#watch(application, health).waiting.add(waiting);
  }

  #watch(name: string, health: string): Watched {
    const conditions = this.#watched.get(name) ?? new Map<string, Watched>();
    this.#watched.set(name, conditions);
    const known = conditions.get(health);
    if (known) return known;
    const watched = {
      isMet: conditionOf(health),
      waiting: new Set<string>(),
      healthy: new Set<string>(),
      unhealthy: new Set<string>(),
    };
    conditions.set(health, watched);
    this.#markChanged(
      name,
      [...this.#view.find('unit', 'application', name)].map((unit) => unit.name),
    );
    return watched;
  }

  /** Looks at the unit by each condition of its application. */
  #look(name: string): void {
    const conditions = this.#watched.get(unitApplication(name));
    if (!conditions) return;
    const { presence } = this.#needs.services;
    const unit = this.#view.get('unit', name);
    const health =
      unit?.life === 'alive'
        ? healthOfUnit(unit, this.#view, (machine) => presence.isPresent(this.#needs.modelUuid, machine))
        : undefined;
    for (const [condition, { isMet, healthy, unhealthy }] of conditions) {
      healthy.delete(name);
      unhealthy.delete(name);
      if (!health) continue;
      const isHealthy = whyUnhealthy(health, condition, isMet) === undefined;
      (isHealthy ? healthy : unhealthy).add(name);
    }
  }

  /** Opens the gates on the application whose condition all of its units meet. */
  async #open(name: string): Promise<void> {
    if (this.#view.get('application', name)?.life !== 'alive') return;
    const { store, modelUuid } = this.#needs;
    for (const [health, { healthy, unhealthy, waiting }] of this.#watched.get(name) ?? []) {
      if (healthy.size === 0 || unhealthy.size > 0) continue;
      for (const application of waiting) {
        const gate = { application: name, health };
        const isOpened = await store.change((tx) => openGate(tx.in(modelUuid), { application, gate }), by);
        if (isOpened) this.#log.info('gate opened', { application, after: name, health });
      }
    }
  }
}
