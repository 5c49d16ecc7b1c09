/**
 * Watches instances after their start (machines.md#polling): asks the provider for those that are due, many in one
 * call, and writes what has changed: status, addresses, zone. A missing instance is lost, and replaced where the model
 * says so. The cost of a pass depends on the machines that are due, not on all machines.
 */
import { isPolled, type LastLook, type Sight } from '../../core/machine/plan-poll.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { Log } from '../../kit/log.ts';
import { Timetable } from '../../kit/timetable.ts';
import type { Instance } from '../../providers/contract/provider.ts';
import {
  isReplacing,
  lossPolicy,
  planLook,
  recordPoll,
  type Look,
} from '../transactions/instance/record-poll.ts';
import type { View } from '../transactions/tx.ts';
import { DirtyMachines, noMachines } from './dirty-machines.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';
import { defined } from '../../core/defined.ts';

const by = 'instance-poller';
/** Number of instances that one call asks for. */
const instancesPerCall = 500;
/** Number of machines that one change writes. */
const machinesPerChange = 100;
/** Delay of the first look: an agent takes a while to connect, also to a controller that has just started. */
const firstLookMs = 3_000;

type Needs = WorkerNeeds<'clock' | 'dispatch' | 'environ' | 'log' | 'nextTurn' | 'presence'>;

interface Polled {
  readonly instanceId: string;
  readonly last: LastLook;
}

export class InstancePoller implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #polled = new Map<string, Polled>();
  readonly #timetable = new Timetable();
  readonly #dirty: DirtyMachines;
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    const { dispatch, log, presence } = needs.services;
    this.#log = log.module('grigri.instance-poller');
    this.#dirty = new DirtyMachines({
      ...needs,
      concerns: {
        machine: (machine: MachineDoc, _, other) =>
          isPolled(machine) !== isPolled(other) || machine.instance?.id !== other?.instance?.id
            ? [machine.id]
            : noMachines,
      },
    });
    this.#subscriptions = [
      presence.watch((model, machine) => {
        if (model === needs.modelUuid) this.#presenceChanged(machine);
      }),
      dispatch.on('', `model ${needs.modelUuid}`, ({ before, after }) => {
        if (!after || lossPolicy(before) === lossPolicy(after)) return;
        for (const [machine, { last }] of this.#polled) if (last.missing) this.#schedule(machine, 0);
        needs.wake();
      }),
    ];
  }

  /** Polls due machines. Returns milliseconds until the next look is due. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { clock, nextTurn } = this.#needs.services;
    const view = this.#read();
    if (!view.in('').get('model', this.#needs.modelUuid)) return undefined;
    await this.#dirty.take((ids) => {
      for (const id of ids) this.#enlist(id, view.get('machine', id));
      return Promise.resolve();
    });
    const ids = this.#timetable.take(clock.now());
    for (let from = 0; from < ids.length; from += instancesPerCall)
      try {
        await this.#poll(ids.slice(from, from + instancesPerCall), signal);
        // Other work gets a turn, also when the cloud answers at once.
        await new Promise<void>((resolve) => nextTurn(resolve));
      } catch (error) {
        for (const id of ids.slice(from)) if (this.#polled.has(id)) this.#schedule(id, 0);
        throw error;
      }
    return this.#timetable.untilNext(clock.now());
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
    this.#dirty.stop();
  }

  /** Schedules a look when an agent left, or when an agent of a lost instance connected. */
  #presenceChanged(machine: string): void {
    const known = this.#polled.get(machine);
    if (!known || (this.#isPresent(machine) && !known.last.missing)) return;
    this.#polled.set(machine, { instanceId: known.instanceId, last: { ...known.last, delayMs: 0 } });
    this.#schedule(machine, 0);
    this.#needs.wake();
  }

  #enlist(id: string, machine: MachineDoc | undefined): void {
    if (!machine || !isPolled(machine)) {
      this.#polled.delete(id);
      this.#timetable.delete(id);
      return;
    }
    const instanceId = machine.instance.id;
    if (this.#polled.get(id)?.instanceId === instanceId) return;
    this.#polled.set(id, { instanceId, last: { delayMs: firstLookMs, missing: false } });
    this.#schedule(id, firstLookMs);
  }

  async #poll(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const looks = await this.#fetchLooks(ids, signal);
    const view = this.#read();
    const policy = { replaces: isReplacing(view), now: this.#needs.services.clock.now() };
    const news = looks.filter((look) => {
      const plan = planLook(view, look, policy);
      if (!plan) return false;
      this.#polled.set(look.machine, { instanceId: look.instanceId, last: plan.next });
      this.#schedule(look.machine, plan.next.delayMs);
      return plan.replace || plan.status || plan.addresses || plan.zone !== undefined;
    });
    await inBatches(news, machinesPerChange, signal, (batch) => this.#write(batch));
  }

  /** Asks the cloud for the machines' instances, as far as the machines are still polled. */
  async #fetchLooks(ids: readonly string[], signal: AbortSignal): Promise<Look[]> {
    const polled = ids.flatMap((machine) => {
      const known = this.#polled.get(machine);
      return known ? [{ machine, ...known }] : [];
    });
    if (polled.length === 0) return [];
    const { services, modelUuid } = this.#needs;
    const found = await services.environ(modelUuid, this.#read()).instances.get(
      polled.map(({ instanceId }) => instanceId),
      signal,
    );
    return polled.map((entry, i): Look => ({
      ...entry,
      sight: sightOf(found[i]),
      present: this.#isPresent(entry.machine),
    }));
  }

  async #write(looks: readonly Look[]): Promise<void> {
    const { store, services, modelUuid } = this.#needs;
    const machines = await store.change((root) => {
      // Agents may have connected since the request.
      const currentLooks = looks.map((look): Look => ({ ...look, present: this.#isPresent(look.machine) }));
      return recordPoll(root.in(modelUuid), currentLooks, services.clock.now());
    }, by);
    if (machines.length > 0)
      this.#log.warning('replacing the instances of lost machines (lost-machines=replace)', { machines });
  }

  #schedule(machine: string, ms: number): void {
    this.#timetable.set(machine, ms, this.#needs.services.clock.now());
  }

  #isPresent(machine: string): boolean {
    return this.#needs.services.presence.isPresent(this.#needs.modelUuid, machine);
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }
}

function sightOf(instance: Instance | undefined): Sight | undefined {
  if (!instance) return undefined;
  const { status, message, addresses, zone } = instance;
  return { status, message, addresses, ...defined({ zone }) };
}
