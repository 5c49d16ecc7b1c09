import type { Address } from '../../../core/machine/document.ts';
import { notFound } from '../../../core/errors.ts';
import { onlyZoneOf } from '../../../core/placement.ts';
import {
  firstRules,
  ProviderError,
  type AdoptParams,
  type CharmProfile,
  tagKeys,
  type Instance,
  type OpenParams,
  type PortRule,
  type StartParams,
  type StartResult,
} from '../../contract/provider.ts';
import { chooseNetworks, type CloudNetwork } from '../../toolkit/choose-networks.ts';
import type { ModelInstances, Operation, SimulatedCloud, SimulatedInstance } from './cloud.ts';
import { moveModel } from './move.ts';
import { hardwareFor, refusedSize, zoneNames } from './config.ts';

/** Network of machines that request no other. */
const mainSubnet = '10.0.0.0/8';
/** Maximum number of machines per request. */
export const groupMax = 10;

/** One model's view of the simulated cloud. */
export class SimulatedInstances {
  readonly #cloud: SimulatedCloud;
  readonly #open: OpenParams;

  constructor(cloud: SimulatedCloud, open: OpenParams) {
    this.#cloud = cloud;
    this.#open = open;
  }

  start(params: StartParams, signal: AbortSignal): Promise<StartResult> {
    return this.#undoneByAbort(signal, (created) =>
      this.call('start', signal, () => this.#startOne(params, created)),
    );
  }

  startGroup(
    group: readonly StartParams[],
    signal: AbortSignal,
  ): Promise<readonly (StartResult | ProviderError)[]> {
    if (group.length > groupMax) throw new RangeError(`${group.length} starts at once, at most ${groupMax}`);
    return this.#undoneByAbort(signal, (created) =>
      this.call('start group', signal, async () => {
        const outcomes: (StartResult | ProviderError)[] = [];
        for (const params of group) outcomes.push(await this.#outcome(params, created));
        return outcomes;
      }),
    );
  }

  stop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    return this.call('stop', signal, async () => {
      for (const id of ids) {
        const error = this.#cloud.options.stopError?.(id);
        if (error) throw error;
      }
      for (const id of ids) await this.#remove(id);
    });
  }

  list(signal: AbortSignal): Promise<readonly Instance[]> {
    return this.call('list', signal, async () => (await this.#ours()).map(({ instance }) => instance));
  }

  get(ids: readonly string[], signal: AbortSignal): Promise<readonly (Instance | undefined)[]> {
    return this.call('get', signal, async () => {
      const instances = await this.#instances();
      return ids.map((id) => {
        const record = instances.get(id);
        return record && this.#isOurs(record) ? record.instance : undefined;
      });
    });
  }

  setRules(id: string, rules: readonly PortRule[], signal: AbortSignal): Promise<void> {
    return this.call('firewall', signal, async () => {
      await this.#cloud.save(this.#open.stateDir, { ...(await this.#mustFind(id)), rules });
    });
  }

  rules(id: string, signal: AbortSignal): Promise<readonly PortRule[]> {
    return this.call('firewall', signal, async () => (await this.#mustFind(id)).rules);
  }

  assignProfiles(id: string, profiles: readonly CharmProfile[], signal: AbortSignal): Promise<void> {
    // Faults and delays are those of firewall rules, which are set on a running instance, too.
    return this.call('firewall', signal, async () => {
      const names = profiles.map(({ name }) => name);
      await this.#cloud.save(this.#open.stateDir, { ...(await this.#mustFind(id)), profiles: names });
    });
  }

  zones(signal: AbortSignal): Promise<readonly { name: string; available: boolean }[]> {
    return this.call('zones', signal, () =>
      Promise.resolve(this.zoneNames().map((name) => ({ name, available: this.#cloud.isAvailable(name) }))),
    );
  }

  zoneNames(): readonly string[] {
    return this.#cloud.options.zones ?? zoneNames(this.#open.config);
  }

  subnets(signal: AbortSignal): Promise<readonly string[]> {
    // Subnets fail, and take time, as the list of zones does.
    return this.call('zones', signal, () =>
      Promise.resolve(this.#networks().flatMap(({ subnets }) => subnets)),
    );
  }

  #networks(): CloudNetwork[] {
    return [mainSubnet, ...(this.#cloud.options.networks ?? [])].map((cidr) => ({
      name: cidr,
      subnets: [cidr],
    }));
  }

  takeAddress(machineId: string, signal: AbortSignal): Promise<Address> {
    const { stateDir, modelUuid } = this.#open;
    return this.call('address', signal, async () =>
      address(await this.#cloud.takeAddress(stateDir, modelUuid, machineId)),
    );
  }

  releaseAddresses(machineIds: readonly string[], signal: AbortSignal): Promise<void> {
    const { stateDir, modelUuid } = this.#open;
    return this.call('address', signal, async () => {
      for (const id of machineIds) await this.#cloud.releaseAddress(stateDir, modelUuid, id);
    });
  }

  create(signal: AbortSignal): Promise<void> {
    return this.call('create', signal, () => Promise.resolve());
  }

  destroy(signal: AbortSignal): Promise<void> {
    return this.call('destroy', signal, async () => {
      for (const { instance } of await this.#ours()) await this.#remove(instance.id);
      const { stateDir, modelUuid } = this.#open;
      for (const volume of (await this.#cloud.volumesOf(stateDir, modelUuid)).values())
        await this.#cloud.forgetVolume(stateDir, volume, 'forgotten');
      if ((await this.#instances()).size === 0)
        await this.#cloud.forget(this.#open.stateDir, this.#open.modelUuid);
    });
  }

  /**
   * Adds latency and faults to an operation. `outlives`: the operation is carried out even when its caller has died
   * meanwhile.
   */
  async call<T>(
    operation: Operation,
    signal: AbortSignal,
    work: () => Promise<T>,
    outlives = false,
  ): Promise<T> {
    const { latencyMs = Number(this.#open.config['latency-ms'] ?? 0) } = this.#cloud.options;
    const half = (typeof latencyMs === 'number' ? latencyMs : latencyMs(operation)) / 2;
    signal.throwIfAborted();
    const hangMs = this.#cloud.options.hangs?.(operation);
    if (hangMs !== undefined) return this.#late(hangMs, work, outlives);
    const fault = this.#fault(operation);
    if (half > 0) await this.#open.clock.sleep(half, signal);
    if (this.#cloud.refusal !== undefined) throw new ProviderError('credential', this.#cloud.refusal);
    if (fault?.when === 'before') throw fault.error;
    const result = await work();
    if (half > 0) await this.#open.clock.sleep(half, signal);
    signal.throwIfAborted();
    if (fault) throw fault.error;
    return result;
  }

  async #late<T>(ms: number, work: () => Promise<T>, outlives: boolean): Promise<T> {
    const { clock } = this.#open;
    if (ms === Infinity) return new Promise<never>(() => undefined);
    const { wait } = this.#cloud.options;
    if (!wait || !outlives) {
      await clock.sleep(ms);
      return work();
    }
    await wait(ms);
    try {
      return await work();
    } finally {
      // Callers that have died get no result.
      await clock.sleep(0);
    }
  }

  /** Removes the instances made within `work` when it is cancelled. */
  async #undoneByAbort<T>(signal: AbortSignal, work: (made: string[]) => Promise<T>): Promise<T> {
    const created: string[] = [];
    try {
      return await work(created);
    } catch (error) {
      if (signal.aborted) for (const id of created) await this.#remove(id);
      throw error;
    }
  }

  /** Starts one machine of a group, with its own outcome. */
  async #outcome(params: StartParams, created: string[]): Promise<StartResult | ProviderError> {
    const fault = this.#fault('start');
    try {
      if (fault?.when === 'before') throw fault.error;
      const result = await this.#startOne(params, created);
      if (fault) throw fault.error;
      return result;
    } catch (error) {
      if (error instanceof ProviderError) return error;
      return new ProviderError('transient', String(error), { cause: error });
    }
  }

  async #startOne(params: StartParams, created: string[]): Promise<StartResult> {
    const instances = await this.#instances();
    const existing = instances.withNonce(params.nonce).find((each) => this.#isOurs(each));
    if (!existing && params.existing) throw new ProviderError('transient', 'the instance no longer exists');
    const record = existing ? running(existing) : this.#make(params, instances);
    const { instance, modelUuid } = record;
    // The instance is added before it is saved, so that a concurrent start with this nonce finds it.
    instances.set(instance.id, record);
    if (record !== existing) await this.#cloud.save(this.#open.stateDir, record);
    if (!existing) {
      created.push(instance.id);
      await this.#cloud.options.onStart?.({ instance, modelUuid, params });
    } else if (record !== existing) await this.#cloud.options.onRestart?.(instance.id);
    return { instance, hardware: hardwareFor(params.constraints, instance.zone ?? '') };
  }

  #fault(operation: Operation): { when: 'before' | 'after'; error: Error } | undefined {
    return this.#cloud.takeFault(operation) ?? this.#startFault(operation);
  }

  /** Makes another controller's instances of the model this one's. */
  adopt({ ticket, from }: AdoptParams, signal: AbortSignal): Promise<void> {
    const to = this.#open;
    return this.call('create', signal, () =>
      moveModel(this.#cloud, to.modelUuid, { stateDir: ticket, controllerUuid: from }, to),
    );
  }

  #startFault(operation: Operation): { when: 'before' | 'after'; error: Error } | undefined {
    const percent = Number(this.#open.config['start-failure-percent'] ?? 0);
    if (operation !== 'start' || percent === 0 || this.#cloud.random() * 100 >= percent) return undefined;
    return { when: 'before', error: new ProviderError('transient', 'simulated failure of a start') };
  }

  #make(params: StartParams, instances: ModelInstances): SimulatedInstance {
    const { controllerUuid, modelUuid, config } = this.#open;
    const refused = this.#cloud.options.refuses?.(params) ?? refusedSize(config, params.constraints);
    if (refused !== undefined) throw new ProviderError('bad request', refused);
    const quota = this.#cloud.quota(Number(config['quota'] ?? 0));
    if (quota > 0 && this.#cloud.count >= quota) {
      throw new ProviderError('quota', `quota of ${quota} instances exceeded`);
    }
    const zone = this.#chooseZone(params, instances);
    const networks = params.networks && chooseNetworks('the cloud', params.networks, this.#networks());
    const main = this.#cloud.nextAddress();
    const addresses = (networks ?? this.#networks().slice(0, 1)).map(({ name }, n) =>
      name === mainSubnet ? address(main, n) : addressBeside(main, name, n),
    );
    return {
      modelUuid,
      controllerUuid,
      rules: firstRules,
      profiles: (params.profiles ?? []).map(({ name }) => name),
      instance: {
        id: this.#cloud.newId(),
        displayName: `juju-${modelUuid.slice(-6)}-${params.machineId.replaceAll('/', '-')}`,
        status: 'running',
        message: '',
        addresses,
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

  #chooseZone(params: StartParams, instances: ModelInstances): string {
    const requested = params.zone ?? startZone(params);
    if (requested !== undefined && !this.zoneNames().includes(requested)) {
      throw new ProviderError('bad request', `availability zone "${requested}" not valid`);
    }
    const allowed = params.constraints.zones?.length ? params.constraints.zones : this.zoneNames();
    const candidates = (
      requested === undefined ? this.zoneNames().filter((zone) => allowed.includes(zone)) : [requested]
    ).filter((zone) => this.#cloud.isAvailable(zone));
    const [first] = candidates.toSorted((a, b) => instances.population(a) - instances.population(b));
    if (first === undefined)
      throw new ProviderError('zonal', `zone ${requested ?? allowed.join(', ')} is unavailable`);
    return first;
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

function running(record: SimulatedInstance): SimulatedInstance {
  const { instance } = record;
  if (instance.status !== 'stopped') return record;
  return { ...record, instance: { ...instance, status: 'running', message: '' } };
}

function address(value: string, n = 0): Address {
  return { value, type: 'ipv4', scope: 'local-cloud', cidr: mainSubnet, interfaceName: `eth${n}` };
}

/** Returns the machine's address in another network has the last two bytes of its main one. */
function addressBeside(main: string, cidr: string, n: number): Address {
  const value = [...cidr.split('.').slice(0, 2), ...main.split('.').slice(2)].join('.');
  return { ...address(value, n), cidr };
}

function startZone({ placement }: StartParams): string | undefined {
  try {
    return onlyZoneOf(placement);
  } catch (error) {
    throw new ProviderError('bad request', (error as Error).message, { cause: error });
  }
}
