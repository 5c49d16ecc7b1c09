/** The cloud of a forecast: the simulated one, which can what the model's own can, and has what the model's has. */
import { defined } from '../core/defined.ts';
import type { KnownDurations } from '../core/forecast/durations.ts';
import type { CloudTraits } from '../core/forecast/forecast.ts';
import type { CloudMood } from '../core/forecast/events.ts';
import type { Entities } from '../core/kinds.ts';
import type { MachineDoc } from '../core/machine/document.ts';
import { statusId } from '../core/status.ts';
import {
  createSimulatedProvider,
  SimulatedCloud,
  type SimulatedCloudOptions,
} from '../providers/clouds/simulated/index.ts';
import {
  ProviderError,
  tagKeys,
  type Environ,
  type Instance,
  type Provider,
} from '../providers/contract/provider.ts';
import type { Reader } from '../store/store.ts';
import type { Scheduler } from './world/scheduler.ts';

/** Milliseconds of the cloud's answers where the history knows none. */
const usual = { start: 15_000, call: 300 };
/** Milliseconds until a silent cloud's caller gives up. */
const silenceMs = 60_000;

export class ForecastCloud {
  readonly cloud: SimulatedCloud;
  #silent = false;

  constructor({
    scheduler,
    random,
    traits,
    durations,
    networks,
    ...listeners
  }: {
    readonly scheduler: Scheduler;
    readonly random: () => number;
    readonly traits: CloudTraits;
    readonly durations: KnownDurations;
    /** Subnets as CIDRs. */
    readonly networks: readonly string[];
  } & Pick<SimulatedCloudOptions, 'onStart' | 'onStop' | 'onRestart'>) {
    const { start = usual.start } = durations;
    this.cloud = new SimulatedCloud({
      zones: traits.zones ?? ['the cloud'],
      networks,
      random,
      latencyMs: (operation) => {
        if (this.#silent) return 2 * silenceMs;
        return operation === 'start' || operation === 'start group' ? start : usual.call;
      },
      chooseFault: () =>
        this.#silent
          ? { when: 'before', error: new ProviderError('transient', 'the cloud does not answer') }
          : undefined,
      wait: (ms) => new Promise((resolve) => void scheduler.after(ms, 'cloud', 'late', resolve)),
      ...listeners,
    });
  }

  setMood(how: CloudMood): void {
    this.#silent = how === 'silent';
    if (how === 'quota') this.cloud.setQuota(Math.max(1, this.cloud.count));
    if (how === 'credential') this.cloud.refuseCredential('the credential is not accepted any more');
    if (how !== 'recovers') return;
    this.cloud.setQuota(0);
    this.cloud.refuseCredential(undefined);
  }

  /** Makes the cloud have the machine's instance. */
  async have(
    machine: MachineDoc & Required<Pick<MachineDoc, 'instance'>>,
    { view, controllerUuid }: { readonly view: Reader<Entities>; readonly controllerUuid: string },
  ): Promise<void> {
    const { id, instance, addresses, zone } = machine;
    const isStopped = view.get('status', statusId('instance', id))?.status === 'stopped';
    await this.cloud.save('', {
      modelUuid: view.space,
      controllerUuid,
      rules: [],
      profiles: instance.profiles ?? [],
      instance: {
        id: instance.id,
        displayName: instance.displayName,
        status: isStopped ? 'stopped' : 'running',
        message: '',
        addresses: addresses.filter(({ origin }) => origin !== 'machine'),
        tags: tagsOf(machine, { modelUuid: view.space, controllerUuid }),
        ...defined({ zone }),
        isolation: instance.isolation,
      },
    });
  }

  /** Leaves out addresses that machines may have already. */
  skipAddresses(count: number): void {
    for (let n = 0; n < count; n++) this.cloud.nextAddress();
  }

  /** Makes the cloud have the volumes of the model's storage. */
  async haveVolumes(view: Reader<Entities>, controllerUuid: string): Promise<void> {
    for (const { id, detachable, made, attached, instance } of view.list('storage')) {
      if (!detachable || !made) continue;
      await this.cloud.saveVolume('', {
        id: made.providerId,
        size: made.size,
        modelUuid: view.space,
        tags: {
          'juju-storage-instance': id,
          [tagKeys.model]: view.space,
          [tagKeys.controller]: controllerUuid,
        },
        ...defined({ attachedTo: attached && instance }),
      });
    }
  }
}

/** Returns the tags by which the instance of a machine is known. */
export function tagsOf(
  { id, nonce = '' }: MachineDoc,
  { modelUuid, controllerUuid }: { readonly modelUuid: string; readonly controllerUuid: string },
): Readonly<Record<string, string>> {
  return {
    [tagKeys.model]: modelUuid,
    [tagKeys.controller]: controllerUuid,
    [tagKeys.machine]: id,
    [tagKeys.nonce]: nonce,
  };
}

/** Returns the provider of the model's cloud: the simulated one with those capabilities that its own has. */
export function providerLike(traits: CloudTraits, cloud: SimulatedCloud): Provider {
  const simulated = createSimulatedProvider(cloud);
  return {
    ...simulated,
    type: traits.type,
    config: {},
    validate: (config) => config,
    open: (params) => environLike(traits, simulated.open(params)),
  };
}

function environLike(traits: CloudTraits, environ: Environ): Environ {
  const { zones, profiles, networks, startGroup, containers, storage, instances, ...rest } = environ;
  return {
    ...rest,
    instances: traits.zones ? instances : withoutZones(instances),
    precheck: () => Promise.resolve(),
    constraints: { unsupported: [], conflicts: [], vocabulary: {} },
    ...defined({
      zones: traits.zones && zones,
      startGroup: traits.groups && traits.zones ? startGroup : undefined,
      profiles: traits.profiles ? profiles : undefined,
      networks: traits.networks ? networks : undefined,
      containers: traits.containers ? containers : undefined,
      storage: storage && traits.volumes !== undefined ? { ...storage, type: traits.volumes } : undefined,
      bases: traits.bases && (() => Promise.resolve(traits.bases ?? [])),
    }),
  };
}

/** Instances as a cloud has them that knows no zones. */
function withoutZones(instances: Environ['instances']): Environ['instances'] {
  return {
    ...instances,
    async start(params, signal) {
      const { instance, hardware } = await instances.start(params, signal);
      const { availabilityZone: _, ...plain } = hardware;
      return { instance: placeless(instance), hardware: plain };
    },
    list: async (signal) => (await instances.list(signal)).map(placeless),
    get: async (ids, signal) => (await instances.get(ids, signal)).map((one) => one && placeless(one)),
  };
}

function placeless(instance: Instance): Instance {
  const { zone: _, ...rest } = instance;
  return rest;
}
