/**
 * From machine records to instances (domain-facts §2): looks at the machines that a change concerns, asks the plan,
 * and carries it out. Starts run beside the passes, bounded in number; a controller that was killed in one finds the
 * instance by its nonce.
 */
import type { Entities, MachineDoc, StatusDoc, UnitDoc } from '../../core/entities.ts';
import { isImpeded } from '../../core/impediments.ts';
import {
  planProvisioning,
  type MachineView,
  type ProvisioningStep,
} from '../../core/machine/plan-provisioning.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { tagKeys, type Environ, type Instance } from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { removeMachine, setMachineDead } from '../transactions/remove-machine.ts';
import { mustGet, setStatus, statusOf, type Tx, type View } from '../transactions/tx.ts';
import { DirtyMachines } from './dirty-machines.ts';
import { inBatches } from './in-batches.ts';
import { MachineStarter } from './machine-starter.ts';

const by = 'provisioner';
const crashLookMs = 2_000;
/** Machines whose end one change records. */
const endedAtOnce = 100;

export interface ProvisionerNeeds {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly modelUuid: string;
  /** Wakes the reconciler again. */
  readonly wake: () => void;
}

export function createProvisioner(needs: ProvisionerNeeds): {
  pass: (signal: AbortSignal) => Promise<void>;
  stop: () => void;
} {
  const { store, services, modelUuid, wake } = needs;
  const log = services.log.module('grigri.provisioner');
  const dirty = new DirtyMachines({
    store,
    services,
    modelUuid,
    wake,
    concerns: {
      machine: (machine: MachineDoc) => [machine.id],
      // A unit's end may be what a dying machine waited for.
      unit: (unit: UnitDoc, view) =>
        unit.machine !== undefined && !view.get('unit', unit.name) ? [unit.machine] : [],
      // retry-provisioning makes a failed start pending again.
      status: (status: StatusDoc) =>
        status.kind === 'instance' && status.status === 'pending' ? [status.entity] : [],
    },
  });
  const starter = new MachineStarter({
    store,
    services,
    modelUuid,
    log,
    onEnd(id) {
      // What was asked for meanwhile (its removal, say) was left alone until now.
      dirty.add([id]);
      wake();
    },
  });

  const endPresence = services.presence.watch((model, machine) => {
    if (model !== modelUuid || services.presence.isPresent(model, machine)) return;
    // Was it the agent, or the whole machine? A machine that ends loses its connections first.
    void services.clock.sleep(crashLookMs).then(() => {
      dirty.add([machine]);
      wake();
    });
  });

  async function pass(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    const model = view.in('').get('model', modelUuid);
    if (!model) return;
    const environ = services.environ(modelUuid, view);
    const parallelMax = mergedModelConfig(model.config)['num-provision-workers'] as number;
    try {
      await dirty.take(async (ids, all) => {
        if (all) await environ.create(signal);
        // Before the records are read: a start that ends while the cloud answers is in neither of what is compared.
        const busy = new Set(starter.busy);
        const machines = ids.map((id) => view.get('machine', id)).filter((one) => one !== undefined);
        // All there is at the start, to find what a crash left; later just what is to be released.
        const instances = all
          ? await environ.instances.list(signal)
          : await toLookAt(environ, machines, signal);
        const steps = planProvisioning({
          machines: machines.map((machine) => machineView(view, machine)),
          instances: instances.map(({ id, tags, status }) => ({
            id,
            stopped: status === 'stopped',
            machineId: tags[tagKeys.machine] ?? '',
            nonce: tags[tagKeys.nonce] ?? '',
          })),
          busy: new Set([...busy, ...starter.busy]),
          kept: new Set(model.keptInstances),
        });
        await carryOut(environ, steps, signal);
      });
    } finally {
      starter.pump({ environ, parallelMax, signal });
    }
  }

  /** Instances that may have to be released, or have crashed. */
  async function toLookAt(
    environ: Environ,
    machines: readonly MachineDoc[],
    signal: AbortSignal,
  ): Promise<Instance[]> {
    const ids = machines
      .filter(({ id, life }) => life === 'dead' || !services.presence.isPresent(modelUuid, id))
      .flatMap(({ instance }) => (instance && !instance.unmanaged ? [instance.id] : []));
    const found =
      ids.length === 0 ? [] : (await environ.instances.get(ids, signal)).filter((one) => one !== undefined);
    // A start whose answer was lost may have made an instance that no record names: it is found by its tags.
    const unsure = new Set(
      machines
        .filter(
          ({ id, life, nonce, instance }) =>
            life !== 'alive' && nonce !== undefined && !instance && !starter.busy.has(id),
        )
        .map(({ id }) => id),
    );
    if (unsure.size === 0) return found;
    const all = await environ.instances.list(signal);
    return [...found, ...all.filter(({ tags }) => unsure.has(tags[tagKeys.machine] ?? ''))];
  }

  async function carryOut(
    environ: Environ,
    steps: readonly ProvisioningStep[],
    signal: AbortSignal,
  ): Promise<void> {
    const stops = steps.filter((step) => step.kind === 'stop');
    const failed = await stopAll(environ, stops, signal);
    for (const step of steps) {
      if (step.kind === 'start' || step.kind === 'adopt' || step.kind === 'restart')
        starter.want(step.machineId);
    }
    const forgotten = steps.filter((step) => step.kind === 'forget');
    const ended = steps.filter((step) => step.kind === 'forget' || step.kind === 'kill');
    await inBatches(ended, endedAtOnce, signal, (some) =>
      store.change((tx) => {
        const space = tx.in(modelUuid);
        for (const step of some) {
          if (step.kind === 'forget') forget(space, step.machineId, step.keptInstanceId);
          else kill(space, step.machineId);
        }
      }, by),
    );
    if (forgotten.length > 0)
      log.info('machines removed', { machines: forgotten.map((step) => step.machineId) });
    if (failed.length > 0) throw failed[0];
  }

  /** What cannot be stopped holds nothing else up; it is tried again with the pass. Returns why it could not be. */
  async function stopAll(
    environ: Environ,
    stops: readonly { readonly instanceId: string; readonly machineId?: string }[],
    signal: AbortSignal,
  ): Promise<unknown[]> {
    if (stops.length === 0) return [];
    const ids = stops.map((step) => step.instanceId);
    log.info('stopping instances', { instances: ids });
    let outcomes: PromiseSettledResult<void>[] = await Promise.allSettled([
      environ.instances.stop(ids, signal),
    ]);
    // One of them may be what all of them fail for.
    if (outcomes[0]?.status === 'rejected' && ids.length > 1 && !signal.aborted)
      outcomes = await Promise.allSettled(ids.map((id) => environ.instances.stop([id], signal)));
    const failed = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    if (failed.length > 0 && outcomes.length === stops.length && !signal.aborted)
      await tellUnreleased(stops, outcomes);
    if (failed.length < outcomes.length) {
      // The records go in the next pass, when the instances are seen to be gone.
      dirty.add(stops.flatMap((step) => step.machineId ?? []));
      wake();
    }
    return failed;
  }

  /** What is not released is seen, and why. */
  async function tellUnreleased(
    stops: readonly { readonly machineId?: string }[],
    outcomes: readonly PromiseSettledResult<void>[],
  ): Promise<void> {
    await store.change((tx) => {
      const space = tx.in(modelUuid);
      stops.forEach(({ machineId }, i) => {
        const outcome = outcomes[i];
        if (machineId === undefined || outcome?.status !== 'rejected') return;
        const reason: unknown = outcome.reason;
        const message = reason instanceof Error ? reason.message : String(reason);
        if (space.get('machine', machineId)?.life === 'dead')
          setStatus(space, 'instance', machineId, 'error', message);
      });
    }, by);
  }

  return {
    pass,
    stop() {
      endPresence();
      dirty.stop();
    },
  };
}

export function machineView(view: View, machine: MachineDoc): MachineView {
  const { id, life, nonce, instance, keepInstance, parent } = machine;
  return {
    id,
    life,
    ...(nonce === undefined ? {} : { nonce }),
    ...(instance ? { instanceId: instance.id, unmanaged: instance.unmanaged === true } : {}),
    ...(parent === undefined ? {} : { parent }),
    keepInstance,
    failed: statusOf(view, 'instance', id, machine.createdAt).status === 'provisioning error',
    // Of an alive one it would not be asked.
    impeded: life !== 'alive' && isImpeded({ kind: 'machine', id }, view),
  };
}

function kill(tx: Tx, id: string): void {
  // The start may have been recorded since the plan was made.
  const machine = tx.get('machine', id);
  if (machine?.life === 'dying' && !machine.instance && !isImpeded({ kind: 'machine', id }, tx))
    setMachineDead(tx, id);
}

/** A dead machine's record goes; an instance that is kept is remembered, so that no later start takes it for a stray. */
export function forget(tx: Tx, id: string, keptInstanceId?: string): void {
  const machine = tx.get('machine', id);
  if (!machine || machine.life !== 'dead') return;
  if (keptInstanceId !== undefined) {
    const root = tx.in('');
    const model = mustGet(root, 'model', tx.space);
    root.put('model', model.uuid, {
      ...model,
      keptInstances: [...(model.keptInstances ?? []), keptInstanceId],
    });
  }
  removeMachine(tx, id);
}
