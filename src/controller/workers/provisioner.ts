/**
 * From machine records to instances (domain-facts §2). The intent (nonce and password hash) is durable before the
 * provider is called, and a start repeated with the same nonce gives the instance that is there: a controller
 * killed in between adopts it. Starts run beside the passes, bounded in number.
 */
import { createHmac } from 'node:crypto';
import type { Entities, MachineDoc } from '../../core/entities.ts';
import { machineImpediments } from '../../core/impediments.ts';
import { planProvisioning, type MachineView } from '../../core/machine/plan-provisioning.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import {
  ProviderError,
  tagKeys,
  type Environ,
  type Instance,
  type StartResult,
} from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import { renderAgentConf } from '../../wire/agent-conf.ts';
import { hashSecret } from '../passwords.ts';
import type { Services } from '../services.ts';
import { removeMachine, setMachineDead } from '../transactions/remove-machine.ts';
import { mustGet, setStatus, statusOf, type Tx, type View } from '../transactions/tx.ts';

const by = 'provisioner';
const retryStart: Backoff = { firstMs: 2_000, maxMs: 120_000, factor: 2, jitter: 0.3 };
const startAttemptsMax = 10;

export interface ProvisionerNeeds {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly modelUuid: string;
  /** Wakes the reconciler again. */
  readonly wake: () => void;
}

export function createProvisioner(needs: ProvisionerNeeds): (signal: AbortSignal) => Promise<void> {
  const { store, services, modelUuid } = needs;
  const log = services.log.module('grigri.provisioner');
  const starting = new Map<string, Promise<void>>();
  /** Failed attempts of machines that are tried again, and when. */
  const failures = new Map<string, { count: number; notBefore: number }>();
  let listed = false;

  async function pass(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    const model = view.in('').get('model', modelUuid);
    if (!model) return;
    const environ = services.environ(modelUuid, view);
    // All there is at the start, to find what a crash left; later just what is to be released.
    const machines = listed ? machinesToLookAt(view) : [...view.list('machine')];
    if (!listed) await environ.create(signal);
    const instances = listed
      ? await releasable(environ, machines, signal)
      : await environ.instances.list(signal);
    listed = true;
    const steps = planProvisioning({
      machines: machines.map((machine) => machineView(view, machine)),
      instances: instances.map(({ id, tags }) => ({
        id,
        machineId: tags[tagKeys.machine] ?? '',
        nonce: tags[tagKeys.nonce] ?? '',
      })),
      busy: new Set(starting.keys()),
      kept: new Set(model.keptInstances),
    });
    const parallelMax = mergedModelConfig(model.config)['num-provision-workers'] as number;
    for (const step of steps) {
      switch (step.kind) {
        case 'start':
        case 'adopt': {
          const failure = failures.get(step.machineId);
          if (starting.size >= parallelMax || (failure && failure.notBefore > services.clock.now())) break;
          const work = start(environ, step.machineId, signal).finally(() => {
            starting.delete(step.machineId);
            needs.wake();
          });
          starting.set(step.machineId, work);
          break;
        }
        case 'stop':
          log.info('stopping an instance', { instance: step.instanceId, machine: step.machineId ?? '' });
          await environ.instances.stop([step.instanceId], signal);
          // The record goes in the next pass, when the instance is seen to be gone.
          needs.wake();
          break;
        case 'forget':
          await store.change((tx) => forget(tx.in(modelUuid), step.machineId), by);
          log.info('machine removed', { machine: step.machineId });
          break;
        case 'kill':
          failures.delete(step.machineId);
          await store.change((tx) => {
            const space = tx.in(modelUuid);
            // The start may have been recorded since the plan was made.
            const machine = space.get('machine', step.machineId);
            if (machine?.life === 'dying' && !machine.instance) setMachineDead(space, step.machineId);
          }, by);
          break;
      }
    }
    const waits = [...failures.values()].map((failure) => failure.notBefore - services.clock.now());
    if (waits.length > 0)
      void services.clock.sleep(Math.max(50, Math.min(...waits)), signal).then(needs.wake, () => undefined);
  }

  async function start(environ: Environ, id: string, signal: AbortSignal): Promise<void> {
    try {
      const intent = await prepare(id);
      if (!intent) return;
      const result = await environ.instances.start(
        { ...intent, progress: (text) => void say(id, 'allocating', text) },
        signal,
      );
      await record(id, intent.nonce, result, environ);
      failures.delete(id);
      log.info('machine started', { machine: id, instance: result.instance.id });
    } catch (error) {
      if (signal.aborted) return;
      await failed(id, error);
    }
  }

  /** The durable intent: nonce and hash are in the record before anything is made. */
  async function prepare(id: string): Promise<Parameters<Environ['instances']['start']>[0] | undefined> {
    const controller = mustGetController();
    const { machine, password } = await store.change((tx) => {
      const space = tx.in(modelUuid);
      const doc = space.get('machine', id);
      if (!doc || doc.instance || !mayStart(doc)) return { machine: undefined, password: '' };
      const nonce = doc.nonce ?? `machine-0:${tx.newUuid()}`;
      // Made from the nonce, so that a start repeated after a crash gives the agent the same one.
      const secret = createHmac('sha256', services.agentKey)
        .update(nonce)
        .digest()
        .subarray(0, 24)
        .toString('base64url');
      const intended = { ...doc, nonce, passwordHash: hashSecret(secret) };
      space.put('machine', id, intended);
      setStatus(space, 'instance', id, 'allocating', 'starting');
      return { machine: intended, password: secret };
    }, by);
    if (!machine) return undefined;
    return {
      machineId: id,
      nonce: machine.nonce,
      base: machine.base,
      constraints: machine.constraints,
      ...(machine.placement ? { placement: machine.placement.directive } : {}),
      tags: {
        [tagKeys.model]: modelUuid,
        [tagKeys.controller]: controller.uuid,
        [tagKeys.machine]: id,
        [tagKeys.nonce]: machine.nonce,
      },
      agent: {
        toolsDir: services.toolsDir,
        dataDir: '/var/lib/juju',
        version: services.version,
        agentConf: renderAgentConf({
          tag: `machine-${id.replaceAll('/', '-')}`,
          controller: controller.uuid,
          model: modelUuid,
          apiAddresses: await services.agentAddresses(modelUuid),
          caCert: services.caCert,
          apiPassword: password,
          nonce: machine.nonce,
          upgradedToVersion: services.version,
        }),
      },
      progress: () => undefined,
    };
  }

  async function record(id: string, nonce: string, result: StartResult, environ: Environ): Promise<void> {
    const { instance, hardware } = result;
    const kept = await store.change((tx) => {
      const space = tx.in(modelUuid);
      const doc = space.get('machine', id);
      if (!doc || doc.nonce !== nonce) return false;
      space.put('machine', id, {
        ...doc,
        instance: {
          id: instance.id,
          displayName: instance.displayName,
          hardware,
          isolation: instance.isolation,
        },
        addresses: instance.addresses,
        hostname: doc.hostname || instance.displayName,
      });
      setStatus(space, 'instance', id, instance.status, capitalised(instance));
      setStatus(space, 'modification', id, 'applied');
      return true;
    }, by);
    // The record went while the instance was being made: the instance must not stay behind.
    if (!kept) await environ.instances.stop([instance.id], new AbortController().signal);
  }

  async function failed(id: string, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const count = (failures.get(id)?.count ?? 0) + 1;
    const final =
      count >= startAttemptsMax ||
      !(error instanceof ProviderError) ||
      error.class === 'bad request' ||
      error.class === 'credential';
    log.warning('cannot start machine', { machine: id, attempt: count, error });
    if (final) failures.delete(id);
    else
      failures.set(id, {
        count,
        notBefore: services.clock.now() + backoffMs(retryStart, count - 1, services.random),
      });
    await store.change((tx) => {
      const space = tx.in(modelUuid);
      if (!space.get('machine', id)) return;
      if (final) {
        setStatus(space, 'instance', id, 'provisioning error', message);
        setStatus(space, 'machine-agent', id, 'error', message);
      } else {
        const at = new Date(failures.get(id)!.notBefore).toISOString().slice(11, 19);
        setStatus(space, 'instance', id, 'allocating', `attempt ${count} failed, next at ${at}: ${message}`);
      }
    }, by);
  }

  async function say(id: string, status: string, message: string): Promise<void> {
    await store.change((tx) => {
      const space = tx.in(modelUuid);
      if (space.get('machine', id) && !space.get('machine', id)?.instance)
        setStatus(space, 'instance', id, status, message);
    }, by);
  }

  function mustGetController(): Entities['controller'] {
    return store.read().in('').get('controller', 'self')!;
  }

  return pass;
}

/** A dying machine whose units wait for an agent gets the instance that a start before a crash made. */
function mayStart(machine: MachineDoc): boolean {
  return machine.life === 'alive' || (machine.life === 'dying' && machine.nonce !== undefined);
}

/** Those that have no instance, or are on their way out: what the work is about, found without looking at the rest. */
function machinesToLookAt(view: View): MachineDoc[] {
  const found = new Map<string, MachineDoc>();
  for (const [index, value] of [
    ['unprovisioned', 'unprovisioned'],
    ['life', 'dying'],
    ['life', 'dead'],
  ] as const)
    for (const machine of view.find('machine', index, value)) found.set(machine.id, machine);
  return [...found.values()];
}

async function releasable(
  environ: Environ,
  machines: readonly MachineDoc[],
  signal: AbortSignal,
): Promise<Instance[]> {
  const ids = machines.flatMap(({ life, instance }) => (life === 'dead' && instance ? [instance.id] : []));
  if (ids.length === 0) return [];
  return (await environ.instances.get(ids, signal)).filter((one) => one !== undefined);
}

function machineView(view: View, machine: MachineDoc): MachineView {
  const { id, life, nonce, instance, keepInstance, parent } = machine;
  return {
    id,
    life,
    ...(nonce === undefined ? {} : { nonce }),
    ...(instance ? { instanceId: instance.id, unmanaged: instance.unmanaged === true } : {}),
    ...(parent === undefined ? {} : { parent }),
    keepInstance,
    failed: statusOf(view, 'instance', id, machine.createdAt).status === 'provisioning error',
    impeded: machineImpediments(view, id, 1).length > 0,
  };
}

/** A dead machine's record goes; an instance that is kept is remembered, so that no later start takes it for a stray. */
function forget(tx: Tx, id: string): void {
  const machine = tx.get('machine', id);
  if (!machine || machine.life !== 'dead') return;
  if (machine.keepInstance && machine.instance && !machine.instance.unmanaged) {
    const root = tx.in('');
    const model = mustGet(root, 'model', tx.space);
    root.put('model', model.uuid, {
      ...model,
      keptInstances: [...(model.keptInstances ?? []), machine.instance.id],
    });
  }
  removeMachine(tx, id);
}

function capitalised(instance: Instance): string {
  const text = instance.message || instance.status;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
