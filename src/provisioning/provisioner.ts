/**
 * The provisioner turns machine records into instances (machines.md#provisioner): each pass examines the machines that
 * a change concerns, asks the plan, and carries it out. Starts run beside the passes, with a limited number at a time;
 * a provisioner that is restarted during a start finds the instance by its nonce. In the controller the provisioner
 * creates machines, in a machine's agent the containers on it.
 */
import { planLook } from '../core/machine/plan-look.ts';
import {
  planProvisioning,
  type InstanceView,
  type MachineView,
  type ProvisioningStep,
} from '../core/machine/plan-provisioning.ts';
import type { Clock } from '../kit/clock.ts';
import { DirtyIds } from '../kit/dirty-ids.ts';
import type { Log } from '../kit/log.ts';
import { tagKeys, type Instance } from '../providers/contract/provider.ts';
import { CloudCalls } from './cloud-calls.ts';
import { MachineStarter } from './machine-starter.ts';
import type { Broker, EndStep, MachineRecords, Suspension } from './records.ts';
import { stopInstances } from './stop-instances.ts';
import { accountFailure } from './suspension.ts';

const crashLookMs = 2_000;

interface ProvisionerNeeds {
  readonly records: MachineRecords;
  /** Returns the broker, which may be reopened between passes. Undefined: there is nothing to provision (any more). */
  readonly broker: () => Broker | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Wakes the reconciler that runs the passes. */
  readonly wake: () => void;
}

/** Scope of one pass. */
interface Pass {
  readonly at: Broker;
  readonly signal: AbortSignal;
  readonly ids: readonly string[];
  /** True when the ids are all machines. */
  readonly all: boolean;
  /** Machines of the pass with an abandoned attempt. */
  readonly unsure: ReadonlySet<string>;
}

export class Provisioner {
  readonly #needs: ProvisionerNeeds;
  readonly #dirty: DirtyIds;
  readonly #starter: MachineStarter;
  readonly #calls: CloudCalls;
  /** Machines with an abandoned attempt, until its instance is stopped. */
  readonly #givenUp = new Set<string>();

  constructor(needs: ProvisionerNeeds) {
    this.#needs = needs;
    this.#dirty = new DirtyIds(() => needs.records.all());
    this.#starter = new MachineStarter({ ...needs, onEnd: (id) => this.look([id]) });
    this.#calls = new CloudCalls(needs.records);
  }

  async pass(signal: AbortSignal): Promise<void> {
    const broker = this.#needs.broker();
    if (!broker) return;
    const { suspension } = this.#starter;
    try {
      try {
        await this.#dirty.take((ids, all) => this.#lookAt({ at: broker, signal, ids, all }));
        if (this.#dirty.isEmpty) this.#starter.settle();
        await suspension.tell();
      } finally {
        await this.#starter.pump({ broker, signal });
      }
    } catch (error) {
      const cause = accountFailure(error);
      if (cause) await suspension.failed(cause, undefined, signal);
      throw error;
    }
  }

  /** Schedules the machines for the next pass. */
  look(ids: Iterable<string>): void {
    if (this.#dirty.add(ids) > 0) this.#needs.wake();
  }

  /** Schedules all machines for the next pass. */
  lookAtAll(): void {
    this.#dirty.addAll();
    this.#needs.wake();
  }

  /** Starts a machine now, without waiting for its next attempt. */
  retry(id: string): void {
    this.#starter.forgive(id);
    this.look([id]);
  }

  /** Records that an attempt was abandoned which may have created an instance. */
  giveUp(id: string): void {
    this.#givenUp.add(id);
    this.look([id]);
  }

  /** Handles the lost connection of a machine's agent. */
  absent(id: string): void {
    // A machine that ends loses its connections first, so its instance is checked a little later.
    void this.#needs.clock.sleep(crashLookMs).then(() => this.look([id]));
  }

  /** Probes the cloud after the cause of a suspension may have been repaired. */
  probe(cause: Suspension['class']): void {
    this.#starter.suspension.probe(cause);
  }

  async #lookAt(pass: Omit<Pass, 'unsure'>): Promise<void> {
    // Attempts abandoned from now on belong to the next pass.
    const unsure = new Set(this.#givenUp.size > 0 ? pass.ids.filter((id) => this.#givenUp.delete(id)) : []);
    try {
      const seen = await this.#compare({ ...pass, unsure });
      for (const id of seen) unsure.delete(id);
    } finally {
      for (const id of unsure) this.#givenUp.add(id);
    }
  }

  /**
   * Compares records with instances. Returns the machines whose instances were checked: all except those being started.
   */
  async #compare(pass: Pass): Promise<readonly string[]> {
    const { records } = this.#needs;
    const starter = this.#starter;
    const { at, ids, all, signal } = pass;
    if (all) await this.#calls.run(ids, signal, () => at.create?.(signal));
    // The set is read before the records: a start that ends while the cloud answers would be missing from both sides of
    // the comparison.
    const busy = new Set(starter.busy);
    const machines = records
      .views(ids)
      .map((view) => (view.began ? { ...view, present: records.isPresent(view.id) } : view));
    // The first pass lists all instances to find leftovers of a crash; later passes fetch only the relevant ones.
    const instances = all
      ? await this.#calls.run(ids, signal, () => at.instances.list(signal))
      : await this.#instancesOf(machines, pass);
    const { harvest, othersStay } = records.settings();
    const steps = planProvisioning({
      machines,
      instances: instances.map(instanceView),
      harvest,
      othersStay,
      busy: new Set([...busy, ...starter.busy]),
    });
    const idle = ids.filter((id) => !busy.has(id) && !starter.busy.has(id));
    const starting = new Set(steps.filter(isStart).map(({ machineId }) => machineId));
    for (const id of idle) if (!starting.has(id)) starter.drop(id);
    await this.#carryOut(at, steps, signal);
    return idle;
  }

  /** Returns instances that may have to be released, or may have crashed. */
  async #instancesOf(
    machines: readonly MachineView[],
    { at: { instances }, unsure, signal }: Pass,
  ): Promise<Instance[]> {
    const { records } = this.#needs;
    const { recorded, unrecorded } = planLook(machines, {
      unsure,
      busy: this.#starter.busy,
      isPresent: (id) => records.isPresent(id),
    });
    const found = recorded.length === 0 ? [] : await instances.get(recorded, signal);
    const existing = found.filter((instance) => instance !== undefined);
    if (unrecorded.size === 0) return existing;
    const all = await instances.list(signal);
    return [...existing, ...all.filter(({ tags }) => unrecorded.has(tags[tagKeys.machine] ?? ''))];
  }

  async #carryOut(at: Broker, steps: readonly ProvisioningStep[], signal: AbortSignal): Promise<void> {
    const stops = steps.filter((step) => step.kind === 'stop');
    const failed = stops.length > 0 ? await this.#release(at, stops, signal) : undefined;
    for (const step of steps) if (isStart(step)) this.#starter.want(step.machineId, step.kind === 'restart');
    const ended = steps.filter(isEnd);
    if (ended.length > 0) await this.#needs.records.end(ended, signal);
    if (failed !== undefined) throw failed.error;
  }

  /** Stops instances. A failure does not block the others, and is retried with the next pass. Returns the failures. */
  async #release(
    at: Broker,
    stops: readonly Extract<ProvisioningStep, { kind: 'stop' }>[],
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { log, records } = this.#needs;
    log.info('stopping instances', { instances: stops.map(({ instanceId }) => instanceId) });
    const failures = await stopInstances(at, stops, signal);
    if (failures.length > 0 && !signal.aborted)
      await records.unreleased(
        failures.map(({ stop, error }) => ({
          id: stop.machineId,
          message: error instanceof Error ? error.message : String(error),
        })),
      );
    if (failures.length < stops.length) {
      // Records are removed in the next pass, after the instances are seen to be gone.
      this.look(stops.map(({ machineId }) => machineId));
      this.#starter.suspension.probe('quota');
    }
    return failures[0];
  }
}

function instanceView({ id, tags, status }: Instance): InstanceView {
  return {
    id,
    stopped: status === 'stopped',
    machineId: tags[tagKeys.machine] ?? '',
    nonce: tags[tagKeys.nonce] ?? '',
  };
}

function isEnd(step: ProvisioningStep): step is EndStep {
  return step.kind === 'forget' || step.kind === 'kill' || step.kind === 'renew';
}

function isStart(step: ProvisioningStep): boolean {
  return step.kind === 'start' || step.kind === 'adopt' || step.kind === 'restart';
}
