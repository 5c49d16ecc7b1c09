/**
 * From machine records to instances (domain-facts §2). The intent (nonce and password hash) is durable before the
 * provider is called, and a start repeated with the same nonce gives the instance that is there: a controller
 * killed in between adopts it. Starts run beside the passes, bounded in number.
 */
import { createHmac } from 'node:crypto';
import type { Entities } from '../../core/entities.ts';
import { planProvisioning } from '../../core/machine/plan-provisioning.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import { ProviderError, tagKeys, type Environ, type Instance, type StartResult } from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import { renderAgentConf } from '../../wire/agent-conf.ts';
import { hashSecret } from '../passwords.ts';
import type { Services } from '../services.ts';
import { removeMachine, setMachineDead } from '../transactions/remove-machine.ts';
import { mustGet, setStatus, statusOf } from '../transactions/tx.ts';

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
  const stopping = new Set<string>();
  /** Failed attempts of machines that are tried again, and when. */
  const failures = new Map<string, { count: number; notBefore: number }>();
  let listed = false;

  async function pass(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return;
    const environ = services.environ(modelUuid, view);
    if (!listed) await environ.create(signal);
    const instances = listed ? [] : await environ.instances.list(signal);
    const machines = listed
      ? new Map([
          ...[...view.find('machine', 'unprovisioned', 'unprovisioned')].map((one) => [one.id, one] as const),
          ...[...view.find('machine', 'life', 'dying')].map((one) => [one.id, one] as const),
          ...[...view.find('machine', 'life', 'dead')].map((one) => [one.id, one] as const),
        ]).values()
      : view.list('machine');
    const steps = planProvisioning({
      machines: [...machines].map((machine) => ({
        machine,
        failed: statusOf(view, 'instance', machine.id, machine.createdAt).status === 'provisioning error',
        busy: starting.has(machine.id) || stopping.has(machine.id),
        hasUnits: view.count('unit', 'machine', machine.id) > 0,
      })),
      instances: instances.map((instance) => ({
        id: instance.id,
        machine: instance.tags[tagKeys.machine] ?? '',
        nonce: instance.tags[tagKeys.nonce] ?? '',
      })),
    });
    if (!listed && instances.length > 0) log.info('instances found', { count: instances.length });
    listed = true;
    const parallelMax = mergedModelConfig(mustGet(view.in(''), 'model', modelUuid).config)['num-provision-workers'] as number;
    for (const step of steps) {
      switch (step.kind) {
        case 'start':
        case 'adopt': {
          if (starting.size >= parallelMax) break;
          const failure = failures.get(step.machine);
          if (failure && failure.notBefore > services.clock.now()) break;
          const work = start(environ, step.machine, signal).finally(() => {
            starting.delete(step.machine);
            needs.wake();
          });
          starting.set(step.machine, work);
          break;
        }
        case 'stop':
          stopping.add(step.machine);
          await stop(environ, step.machine, step.instance, signal).finally(() => stopping.delete(step.machine));
          break;
        case 'stop-stray':
          log.warning('stopping an instance without a machine', { instance: step.instance });
          await environ.instances.stop([step.instance], signal);
          break;
        case 'forget':
          failures.delete(step.machine);
          await store.change((tx) => {
            const space = tx.in(modelUuid);
            const machine = space.get('machine', step.machine);
            // The start may have been begun, or the instance recorded, since the plan was made.
            if (!machine || machine.instance || machine.life === 'alive') return;
            setMachineDead(space, step.machine);
            removeMachine(space, step.machine);
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
      const result = await environ.instances.start({ ...intent, progress: (text) => void say(id, 'allocating', text) }, signal);
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
      if (!doc || doc.instance || doc.life !== 'alive') return { machine: undefined, password: '' };
      const nonce = doc.nonce ?? `machine-0:${tx.newUuid()}`;
      // Made from the nonce, so that a start repeated after a crash gives the agent the same one.
      const secret = createHmac('sha256', services.agentKey).update(nonce).digest().subarray(0, 24).toString('base64url');
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
        instance: { id: instance.id, displayName: instance.displayName, hardware, isolation: instance.isolation },
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
    else failures.set(id, { count, notBefore: services.clock.now() + backoffMs(retryStart, count - 1, services.random) });
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

  async function stop(environ: Environ, id: string, instance: string, signal: AbortSignal): Promise<void> {
    const machine = store.read().in(modelUuid).get('machine', id);
    if (machine && !machine.keepInstance && !machine.instance?.unmanaged) await environ.instances.stop([instance], signal);
    await store.change((tx) => removeMachine(tx.in(modelUuid), id), by);
    log.info('machine removed', { machine: id, instance });
  }

  async function say(id: string, status: string, message: string): Promise<void> {
    await store.change((tx) => {
      const space = tx.in(modelUuid);
      if (space.get('machine', id) && !space.get('machine', id)?.instance) setStatus(space, 'instance', id, status, message);
    }, by);
  }

  function mustGetController(): Entities['controller'] {
    return store.read().in('').get('controller', 'self')!;
  }

  return pass;
}

function capitalised(instance: Instance): string {
  const text = instance.message || instance.status;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

