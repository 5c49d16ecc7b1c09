/**
 * The provisioner turns machine records into instances (machines.md#provisioner): it looks at the machines that a
 * change concerns, asks the plan, and carries it out. Starts run beside the passes, bounded in number; a provisioner
 * that was killed in one finds the instance by its nonce. In the controller it makes machines, in a machine's agent the
 * containers on it.
 */
import {
  planProvisioning,
  type MachineView,
  type ProvisioningStep,
} from '../core/machine/plan-provisioning.ts';
import type { Clock } from '../kit/clock.ts';
import { DirtyIds } from '../kit/dirty-ids.ts';
import type { Log } from '../kit/log.ts';
import { ProviderError, tagKeys, type Instance } from '../providers/provider.ts';
import { MachineStarter } from './machine-starter.ts';
import type { Broker, EndStep, MachineRecords, Suspension } from './records.ts';
import { stopInstances } from './stop-instances.ts';

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

export interface Provisioner {
  pass(signal: AbortSignal): Promise<void>;
  /** Something has changed that concerns these machines. */
  look(ids: Iterable<string>): void;
  /** Something has changed that concerns all of them. */
  lookAtAll(): void;
  /** It is to be started now, whatever it waits for. */
  retry(id: string): void;
  /** An attempt was given up that may have made an instance. */
  giveUp(id: string): void;
  /** The machine's agent has lost its connection. */
  absent(id: string): void;
  /** What starts were suspended for may be repaired. */
  probe(cause: Suspension['class']): void;
}

export function createProvisioner({ records, broker, log, ...needs }: ProvisionerNeeds): Provisioner {
  const { clock, wake } = needs;
  const dirty = new DirtyIds(() => records.all());
  const look = (ids: Iterable<string>): void => {
    if (dirty.add(ids) > 0) wake();
  };
  /** With an attempt that was given up, until what it made is stopped. */
  const givenUp = new Set<string>();
  const starter = new MachineStarter({ ...needs, records, log, onEnd: (id) => look([id]) });
  /** What was said of machines that the cloud could not be asked for. */
  const excuses = new Map<string, string>();

  async function pass(signal: AbortSignal): Promise<void> {
    const at = broker();
    if (!at) return;
    try {
      try {
        await dirty.take((ids, all) => lookAt(at, { ids, all, signal }));
        if (dirty.isEmpty) starter.settle();
        await starter.suspension.tell();
      } finally {
        await starter.pump({ broker: at, signal });
      }
    } catch (error) {
      const cause = error instanceof ProviderError ? error.class : undefined;
      if ((cause === 'quota' || cause === 'credential') && error instanceof Error)
        await starter.suspension.failed({ class: cause, message: error.message }, undefined, signal);
      throw error;
    }
  }

  async function lookAt(
    at: Broker,
    { ids, all, signal }: { ids: readonly string[]; all: boolean; signal: AbortSignal },
  ): Promise<void> {
    // What is given up from now on is not in what this looks at.
    const unsure = new Set(ids.filter((id) => givenUp.delete(id)));
    try {
      const seen = await compare(at, { ids, all, unsure, signal });
      for (const id of seen) unsure.delete(id);
    } finally {
      for (const id of unsure) givenUp.add(id);
    }
  }

  /** Returns whose instances were looked at: all but those of starts under way. */
  async function compare(
    at: Broker,
    {
      ids,
      all,
      unsure,
      signal,
    }: { ids: readonly string[]; all: boolean; unsure: ReadonlySet<string>; signal: AbortSignal },
  ): Promise<readonly string[]> {
    if (all) await asked(ids, signal, () => at.create?.(signal));
    // Before the records are read: a start that ends while the cloud answers is in neither of what is compared.
    const busy = new Set(starter.busy);
    const machines = records
      .views(ids)
      .map((view) => (view.began ? { ...view, present: records.isPresent(view.id) } : view));
    // All there is at the start, to find what a crash left; later just what is to be released.
    const instances = all
      ? await asked(ids, signal, () => at.instances.list(signal))
      : await toLookAt(at, { machines, unsure, signal });
    const steps = planProvisioning({
      machines,
      instances: instances.map(({ id, tags, status }) => ({
        id,
        stopped: status === 'stopped',
        machineId: tags[tagKeys.machine] ?? '',
        nonce: tags[tagKeys.nonce] ?? '',
      })),
      harvest: records.settings().harvest,
      busy: new Set([...busy, ...starter.busy]),
    });
    const seen = ids.filter((id) => !busy.has(id) && !starter.busy.has(id));
    const starting = new Set(steps.filter(isStart).map(({ machineId }) => machineId));
    for (const id of seen) if (!starting.has(id)) starter.drop(id);
    await carryOut(at, steps, signal);
    return seen;
  }

  /** While the cloud does not answer this, nothing is begun; that is said of the machines that wait for it. */
  async function asked<T>(ids: readonly string[], signal: AbortSignal, ask: () => T): Promise<Awaited<T>> {
    try {
      const answer = await ask();
      excuses.clear();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      // These are said once, of the model.
      const isOfModel =
        error instanceof ProviderError && (error.class === 'quota' || error.class === 'credential');
      const message = error instanceof Error ? error.message : String(error);
      for (const { id, life, instanceId, unmanaged } of isOfModel ? [] : records.views(ids)) {
        if (life !== 'alive' || instanceId !== undefined || unmanaged || excuses.get(id) === message)
          continue;
        excuses.set(id, message);
        await records.say(id, `not asked for yet: ${message}`);
      }
      throw error;
    }
  }

  /** Instances that may have to be released, or have crashed. */
  async function toLookAt(
    { instances }: Broker,
    {
      machines,
      unsure,
      signal,
    }: { machines: readonly MachineView[]; unsure: ReadonlySet<string>; signal: AbortSignal },
  ): Promise<Instance[]> {
    const ids = machines
      .filter(({ instanceId, unmanaged }) => instanceId !== undefined && !unmanaged)
      .filter(({ id, life }) => life === 'dead' || !records.isPresent(id))
      .flatMap(({ instanceId }) => instanceId ?? []);
    const found =
      ids.length === 0 ? [] : (await instances.get(ids, signal)).filter((one) => one !== undefined);
    // A start whose answer was lost may have made an instance that no record names: it is found by its tags.
    const lost = new Set(
      machines
        .filter(
          ({ id, life, nonce, instanceId, began }) =>
            unsure.has(id) ||
            began ||
            (life !== 'alive' && nonce !== undefined && instanceId === undefined && !starter.busy.has(id)),
        )
        .map(({ id }) => id),
    );
    if (lost.size === 0) return found;
    const all = await instances.list(signal);
    return [...found, ...all.filter(({ tags }) => lost.has(tags[tagKeys.machine] ?? ''))];
  }

  async function carryOut(
    at: Broker,
    steps: readonly ProvisioningStep[],
    signal: AbortSignal,
  ): Promise<void> {
    const failed = await release(
      at,
      steps.filter((step) => step.kind === 'stop'),
      signal,
    );
    for (const step of steps) if (isStart(step)) starter.want(step.machineId);
    const ended = steps.filter(isEnd);
    if (ended.length > 0) await records.end(ended, signal);
    if (failed !== undefined) throw failed.error;
  }

  /** What cannot be stopped holds nothing else up; it is tried again with the pass. Returns why it could not be. */
  async function release(
    at: Broker,
    stops: readonly Extract<ProvisioningStep, { kind: 'stop' }>[],
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown } | undefined> {
    if (stops.length === 0) return undefined;
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
      look(stops.map(({ machineId }) => machineId));
      starter.suspension.probe('quota');
    }
    return failures[0];
  }

  return {
    pass,
    look,
    lookAtAll() {
      dirty.addAll();
      wake();
    },
    retry(id) {
      starter.forgive(id);
      look([id]);
    },
    giveUp(id) {
      givenUp.add(id);
      look([id]);
    },
    absent(id) {
      // Was it the agent, or the whole machine? A machine that ends loses its connections first.
      void clock.sleep(crashLookMs).then(() => look([id]));
    },
    probe: (cause) => starter.suspension.probe(cause),
  };
}

function isEnd(step: ProvisioningStep): step is EndStep {
  return step.kind === 'forget' || step.kind === 'kill' || step.kind === 'renew';
}

function isStart(step: ProvisioningStep): boolean {
  return step.kind === 'start' || step.kind === 'adopt' || step.kind === 'restart';
}
