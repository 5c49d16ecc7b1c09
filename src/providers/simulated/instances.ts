import { JujuError, notFound } from '../../core/errors.ts';
import {
  ProviderError,
  tagKeys,
  type Instance,
  type OpenParams,
  type PortRule,
  type StartParams,
  type StartResult,
} from '../provider.ts';
import type { ModelInstances, Operation, SimulatedCloud, SimulatedInstance } from './cloud.ts';
import { hardwareFor, zoneNames } from './config.ts';

/** One model's view of the pretended cloud. */
export class SimulatedInstances {
  readonly #cloud: SimulatedCloud;
  readonly #open: OpenParams;

  constructor(cloud: SimulatedCloud, open: OpenParams) {
    this.#cloud = cloud;
    this.#open = open;
  }

  async start(params: StartParams, signal: AbortSignal): Promise<StartResult> {
    let made: string | undefined;
    try {
      return await this.#call('start', signal, async () => {
        const instances = await this.#instances();
        const known = instances.withNonce(params.nonce).find((each) => this.#isOurs(each));
        const record = known ?? this.#make(params, instances);
        // At once, so that a second start with this nonce finds it while the first is still being saved.
        instances.set(record.instance.id, record);
        if (!known) {
          made = record.instance.id;
          await this.#cloud.save(this.#open.stateDir, record);
          await this.#cloud.options.onStart?.({
            instance: record.instance,
            modelUuid: record.modelUuid,
            params,
          });
        }
        const { instance } = record;
        return { instance, hardware: hardwareFor(params.constraints, instance.zone ?? '') };
      });
    } catch (error) {
      if (signal.aborted && made !== undefined) await this.#remove(made);
      throw error;
    }
  }

  stop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#call('stop', signal, async () => {
      for (const id of ids) await this.#remove(id);
    });
  }

  list(signal: AbortSignal): Promise<readonly Instance[]> {
    return this.#call('list', signal, async () => (await this.#ours()).map(({ instance }) => instance));
  }

  get(ids: readonly string[], signal: AbortSignal): Promise<readonly (Instance | undefined)[]> {
    return this.#call('list', signal, async () => {
      const instances = await this.#instances();
      return ids.map((id) => {
        const record = instances.get(id);
        return record && this.#isOurs(record) ? record.instance : undefined;
      });
    });
  }

  setRules(id: string, rules: readonly PortRule[], signal: AbortSignal): Promise<void> {
    return this.#call('firewall', signal, async () => {
      await this.#cloud.save(this.#open.stateDir, { ...(await this.#mustFind(id)), rules });
    });
  }

  rules(id: string, signal: AbortSignal): Promise<readonly PortRule[]> {
    return this.#call('firewall', signal, async () => (await this.#mustFind(id)).rules);
  }

  zones(signal: AbortSignal): Promise<readonly { name: string; available: boolean }[]> {
    return this.#call('zones', signal, () =>
      Promise.resolve(this.zoneNames().map((name) => ({ name, available: this.#cloud.isAvailable(name) }))),
    );
  }

  zoneNames(): readonly string[] {
    return this.#cloud.options.zones ?? zoneNames(this.#open.config);
  }

  create(signal: AbortSignal): Promise<void> {
    return this.#call('create', signal, () => Promise.resolve());
  }

  destroy(signal: AbortSignal): Promise<void> {
    return this.#call('destroy', signal, async () => {
      for (const { instance } of await this.#ours()) await this.#remove(instance.id);
      if ((await this.#instances()).size === 0)
        await this.#cloud.forget(this.#open.stateDir, this.#open.modelUuid);
    });
  }

  /** Latency and faults around what an operation does. */
  async #call<T>(operation: Operation, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { latencyMs = Number(this.#open.config['latency-ms'] ?? 0) } = this.#cloud.options;
    const half = (typeof latencyMs === 'number' ? latencyMs : latencyMs(operation)) / 2;
    signal.throwIfAborted();
    const fault = this.#cloud.takeFault(operation) ?? this.#startFault(operation);
    if (half > 0) await this.#open.clock.sleep(half, signal);
    if (fault?.when === 'before') throw fault.error;
    const result = await work();
    if (half > 0) await this.#open.clock.sleep(half, signal);
    signal.throwIfAborted();
    if (fault) throw fault.error;
    return result;
  }

  #startFault(operation: Operation): { when: 'before' | 'after'; error: Error } | undefined {
    const percent = Number(this.#open.config['start-failure-percent'] ?? 0);
    if (operation !== 'start' || percent === 0 || this.#cloud.random() * 100 >= percent) return undefined;
    return { when: 'before', error: new ProviderError('transient', 'simulated failure of a start') };
  }

  #make(params: StartParams, instances: ReadonlyMap<string, SimulatedInstance>): SimulatedInstance {
    const { controllerUuid, modelUuid, config } = this.#open;
    const quota = this.#cloud.quota(Number(config['quota'] ?? 0));
    if (quota > 0 && this.#cloud.instances().length >= quota) {
      throw new ProviderError('quota', `quota of ${quota} instances exceeded`);
    }
    const zone = this.#chooseZone(params, instances);
    const value = this.#cloud.nextAddress();
    return {
      modelUuid,
      controllerUuid,
      rules: [],
      instance: {
        id: this.#newId(instances),
        displayName: `juju-${modelUuid.slice(-6)}-${params.machineId.replaceAll('/', '-')}`,
        status: 'running',
        message: '',
        addresses: [{ value, type: 'ipv4', scope: 'local-cloud', cidr: '10.0.0.0/8', interfaceName: 'eth0' }],
        tags: {
          ...params.tags,
          [tagKeys.model]: modelUuid,
          [tagKeys.controller]: controllerUuid,
          [tagKeys.machine]: params.machineId,
          [tagKeys.nonce]: params.nonce,
        },
        zone,
        isolation: '',
      },
    };
  }

  /** Ids tell nothing about the machine, as in real clouds: who wants that must look at the tags. */
  #newId(instances: ReadonlyMap<string, SimulatedInstance>): string {
    for (;;) {
      const id = `i-${Math.floor(this.#cloud.random() * 2 ** 48)
        .toString(16)
        .padStart(12, '0')}`;
      if (!instances.has(id)) return id;
    }
  }

  #chooseZone(params: StartParams, instances: ReadonlyMap<string, SimulatedInstance>): string {
    const asked = params.zone ?? zoneOfPlacement(params.placement);
    if (asked !== undefined && !this.zoneNames().includes(asked)) {
      throw new ProviderError('bad request', `availability zone "${asked}" not valid`);
    }
    const allowed = params.constraints.zones?.length ? params.constraints.zones : this.zoneNames();
    const candidates = (
      asked === undefined ? this.zoneNames().filter((zone) => allowed.includes(zone)) : [asked]
    ).filter((zone) => this.#cloud.isAvailable(zone));
    const population = (zone: string): number =>
      [...instances.values()].filter(({ instance }) => instance.zone === zone).length;
    const [first, ...others] = candidates;
    if (first === undefined)
      throw new ProviderError('zonal', `zone ${asked ?? allowed.join(', ')} is unavailable`);
    // Counting is for clouds with a choice: a single zone must not cost a pass over all instances.
    if (others.length === 0) return first;
    return candidates.toSorted((a, b) => population(a) - population(b))[0] ?? first;
  }

  async #remove(id: string): Promise<void> {
    const record = (await this.#instances()).get(id);
    if (!record || !this.#isOurs(record)) return;
    await this.#cloud.forget(this.#open.stateDir, this.#open.modelUuid, id);
    await this.#cloud.options.onStop?.(id);
  }

  async #mustFind(id: string): Promise<SimulatedInstance> {
    const record = (await this.#instances()).get(id);
    if (!record || !this.#isOurs(record)) throw notFound('instance', id);
    return record;
  }

  async #ours(): Promise<SimulatedInstance[]> {
    return [...(await this.#instances()).values()].filter((record) => this.#isOurs(record));
  }

  #isOurs(record: SimulatedInstance): boolean {
    return record.controllerUuid === this.#open.controllerUuid;
  }

  #instances(): Promise<ModelInstances> {
    return this.#cloud.load(this.#open.stateDir, this.#open.modelUuid);
  }
}

/** `zone=z1` → `z1`. Errors: JujuError `not valid` for other directives. */
export function zoneOfPlacement(placement: string | undefined): string | undefined {
  if (!placement) return undefined;
  if (placement.startsWith('zone=')) return placement.slice('zone='.length);
  throw new JujuError('not valid', `unknown placement directive: ${placement}`);
}
