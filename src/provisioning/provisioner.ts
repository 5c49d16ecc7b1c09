/**
 * The provisioner turns machine records into instances (machines.md#provisioner): it looks at the machines that a
 * change concerns, asks the plan, and carries it out. Starts run beside the passes, bounded in number; a provisioner
 * that was killed in one finds the instance by its nonce. In the controller it makes machines, in a machine's agent the
 * containers on it.
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

export interface ProvisionerNeeds {
  readonly records: MachineRecords;
  /** Asked at each pass, since it may be opened anew. Undefined: there is nothing to provision (any more). */
  readonly broker: () => Broker | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Wakes the reconciler that runs the passes. */
  readonly wake: () => void;
}

/** What one pass looks at. */
interface Pass {
  readonly at: Broker;
  readonly signal: AbortSignal;
  readonly ids: readonly string[];
  /** They are all there are. */
  readonly all: boolean;
  /** Those of them with an attempt that was given up. */
  readonly unsure: ReadonlySet<string>;
}

export class Provisioner {
  readonly #needs: ProvisionerNeeds;
  readonly #dirty: DirtyIds;
  readonly #starter: MachineStarter;
  readonly #calls: CloudCalls;
  /** With an attempt that was given up, until what it made is stopped. */
  readonly #givenUp = new Set<string>();

  constructor(needs: ProvisionerNeeds) {
    this.#needs = needs;
    this.#dirty = new DirtyIds(() => needs.records.all());
    this.#starter = new MachineStarter({ ...needs, onEnd: (id) => this.look([id]) });
    this.#calls = new CloudCalls(needs.records);
  }

  async pass(signal: AbortSignal): Promise<void> {
    const at = this.#needs.broker();
    if (!at) return;
    const { suspension } = this.#starter;
    try {
      try {
        await this.#dirty.take((ids, all) => this.#lookAt({ at, signal, ids, all }));
        if (this.#dirty.isEmpty) this.#starter.settle();
        await suspension.tell();
      } finally {
        await this.#starter.pump({ broker: at, signal });
      }
    } catch (error) {
      const cause = accountFailure(error);
      if (cause) await suspension.failed(cause, undefined, signal);
      throw error;
    }
  }

  /** Something has changed that concerns these machines. */
  look(ids: Iterable<string>): void {
    if (this.#dirty.add(ids) > 0) this.#needs.wake();
  }

  /** Something has changed that concerns all of them. */
  lookAtAll(): void {
    this.#dirty.addAll();
    this.#needs.wake();
  }

  /** It is to be started now, whatever it waits for. */
  retry(id: string): void {
    this.#starter.forgive(id);
    this.look([id]);
  }

  /** An attempt was given up that may have made an instance. */
  giveUp(id: string): void {
    this.#givenUp.add(id);
    this.look([id]);
  }

  /** The machine's agent has lost its connection. */
  absent(id: string): void {
    // Was it the agent, or the whole machine? A machine that ends loses its connections first.
    void this.#needs.clock.sleep(crashLookMs).then(() => this.look([id]));
  }

  /** What starts were suspended for may be repaired. */
  probe(cause: Suspension['class']): void {
    this.#starter.suspension.probe(cause);
  }

  async #lookAt(pass: Omit<Pass, 'unsure'>): Promise<void> {
    // What is given up from now on is not in what this looks at.
    const unsure = new Set(pass.ids.filter((id) => this.#givenUp.delete(id)));
    try {
      const seen = await this.#compare({ ...pass, unsure });
      for (const id of seen) unsure.delete(id);
    } finally {
      for (const id of unsure) this.#givenUp.add(id);
    }
  }

  /** Returns whose instances were looked at: all but those of starts under way. */
  async #compare(pass: Pass): Promise<readonly string[]> {
    const { records } = this.#needs;
    const starter = this.#starter;
    const { at, ids, all, signal } = pass;
    if (all) await this.#calls.run(ids, signal, () => at.create?.(signal));
    // Before the records are read: a start that ends while the cloud answers is in neither of what is compared.
    const busy = new Set(starter.busy);
    const machines = records
      .views(ids)
      .map((view) => (view.began ? { ...view, present: records.isPresent(view.id) } : view));
    // All there is at the start, to find what a crash left; later just what is to be released.
    const instances = all
      ? await this.#calls.run(ids, signal, () => at.instances.list(signal))
      : await this.#instancesOf(machines, pass);
    const steps = planProvisioning({
      machines,
      instances: instances.map(instanceView),
      harvest: records.settings().harvest,
      busy: new Set([...busy, ...starter.busy]),
    });
    const seen = ids.filter((id) => !busy.has(id) && !starter.busy.has(id));
    const starting = new Set(steps.filter(isStart).map(({ machineId }) => machineId));
    for (const id of seen) if (!starting.has(id)) starter.drop(id);
    await this.#carryOut(at, steps, signal);
    return seen;
  }

  /** Instances that may have to be released, or have crashed. */
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
    const known = found.filter((one) => one !== undefined);
    if (unrecorded.size === 0) return known;
    const all = await instances.list(signal);
    return [...known, ...all.filter(({ tags }) => unrecorded.has(tags[tagKeys.machine] ?? ''))];
  }

  async #carryOut(at: Broker, steps: readonly ProvisioningStep[], signal: AbortSignal): Promise<void> {
    const stops = steps.filter((step) => step.kind === 'stop');
    const failed = stops.length > 0 ? await this.#release(at, stops, signal) : undefined;
    for (const step of steps) if (isStart(step)) this.#starter.want(step.machineId);
    const ended = steps.filter(isEnd);
    if (ended.length > 0) await this.#needs.records.end(ended, signal);
    if (failed !== undefined) throw failed.error;
  }

  /** What cannot be stopped holds nothing else up; it is tried again with the pass. Returns why it could not be. */
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
      // The records go in the next pass, when the instances are seen to be gone.
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
