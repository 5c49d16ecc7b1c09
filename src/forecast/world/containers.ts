/** Containers on a simulated machine: its agent makes them, and they outlive the agent. */
import {
  ProviderError,
  type ContainerBroker,
  type Instance,
  type StartParams,
} from '../../providers/contract/provider.ts';
import type { Faults } from './faults.ts';
import type { MachineHost } from './machine-host.ts';
import type { SimProcess } from './process.ts';

export interface ContainersOptions {
  /** Instance of the host: the prefix of its containers' names. */
  readonly instance: string;
  readonly faults: Faults;
  /** Duration of a start; absent = it is drawn. */
  readonly startMs?: () => number;
  /** Makes a new machine, which runs from then on. */
  readonly make: (made: {
    readonly instance: Instance;
    readonly params: StartParams;
    /** Forgets the container. */
    readonly vanish: () => void;
  }) => MachineHost;
}

interface Container {
  readonly instance: Instance;
  readonly nonce: string;
  readonly host: MachineHost;
}

export interface AdoptedContainer extends Pick<Container, 'instance' | 'nonce'> {
  readonly make: (vanish: () => void) => MachineHost;
}

const startMs = [500, 20_000] as const;
const callMs = [5, 500] as const;

export class SimContainers {
  readonly #options: ContainersOptions;
  readonly #there = new Map<string, Container>();
  #made = 0;

  constructor(options: ContainersOptions) {
    this.#options = options;
  }

  /** Makes a container known that the machine has had before the world began. `make` gets what forgets it. */
  adopt({ instance, nonce, make }: AdoptedContainer): Container {
    const host = make(() => void this.#there.delete(instance.id));
    const container = { instance, nonce, host };
    this.#there.set(instance.id, container);
    return container;
  }

  instances(): Instance[] {
    return [...this.#there.values()].map(seen);
  }

  /** Turns the containers off with their host, until its next agent starts them again. */
  off(): void {
    for (const { host } of this.#there.values()) host.off();
  }

  /** Ends the containers with their host; `forgotten`: they are not listed any more. */
  end(how: 'lost' | 'released', forgotten: boolean): void {
    for (const { host } of this.#there.values()) {
      if (how === 'lost') host.lose('stays');
      else host.released();
    }
    if (forgotten) this.#there.clear();
  }

  /** Creates the broker for a process on the host; its pending calls end with the process. */
  broker(process: SimProcess): ContainerBroker {
    const { clock, random } = process;
    const call = (signal?: AbortSignal): Promise<void> => clock.sleep(random.skewed(...callMs), signal);
    return {
      types: ['lxd'],
      instances: {
        start: async (params, signal) => {
          await clock.sleep(this.#options.startMs?.() ?? random.skewed(...startMs), signal);
          this.#mayFail('cloud-transient');
          if (!process.does('start container', params.machineId)) return dead();
          params.progress('starting');
          const known = this.#find(params.nonce);
          if (!known && params.existing)
            throw new ProviderError('transient', 'the instance no longer exists');
          const container = known ?? this.#make(params);
          container.host.restarted();
          this.#mayFail('cloud-answer-lost');
          return { instance: seen(container), hardware: { arch: 'amd64', cores: 1, mem: 1024 } };
        },
        stop: async (ids, signal) => {
          await call(signal);
          this.#mayFail('cloud-transient');
          if (!process.does('stop containers', ids.join(' '))) return dead();
          for (const id of ids) {
            this.#there.get(id)?.host.released();
            this.#there.delete(id);
          }
        },
        list: async (signal) => {
          await call(signal);
          return this.instances();
        },
        get: async (ids, signal) => {
          await call(signal);
          return ids.map((id) => {
            const container = this.#there.get(id);
            return container && seen(container);
          });
        },
      },
    };
  }

  #find(nonce: string): Container | undefined {
    return [...this.#there.values()].find((one) => one.nonce === nonce);
  }

  #make(params: StartParams): Container {
    const id = `${this.#options.instance}-box-${this.#made++}`;
    const { address, tags, nonce } = params;
    if (!address) throw new ProviderError('bad request', 'the cloud gave the container no address');
    const instance: Instance = {
      id,
      displayName: id,
      status: 'running',
      message: '',
      addresses: [address],
      tags,
      isolation: '',
    };
    const make = (vanish: () => void): MachineHost => this.#options.make({ instance, params, vanish });
    return this.adopt({ instance, nonce, make });
  }

  #mayFail(kind: 'cloud-transient' | 'cloud-answer-lost'): void {
    if (this.#options.faults.happens(kind)) throw new ProviderError('transient', `simulated ${kind}`);
  }
}

function seen({ instance, host }: Container): Instance {
  return host.state === 'stopped' ? { ...instance, status: 'stopped' } : instance;
}

/** Returns the promise of a dead process, which never settles. */
function dead(): Promise<never> {
  return new Promise(() => undefined);
}
