/** A machine: an instance of the cloud with a machine agent, which is restarted when it dies. */
import { firstThatAnswers } from '../../client/connect.ts';
import { controllerLink } from '../../agent/controller-link.ts';
import { OwnPassword } from '../../agent/own-password.ts';
import { openConnection } from '../../client/open-connection.ts';
import { MachineAgent } from '../../agent/machine/machine-agent.ts';
import type { SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import type { Instance } from '../../providers/contract/provider.ts';
import { defined } from '../../core/defined.ts';
import { createLog } from '../../kit/log.ts';
import { parseAgentConf, type AgentConf } from '../../wire/agent-conf.ts';
import { SimContainers, type AdoptedContainer, type ContainersOptions } from './containers.ts';
import type { Faults } from './faults.ts';
import { simUnitHosts, type UnitDisk } from './hosts.ts';
import type { SimHost, SimNetwork } from './network.ts';
import { SimProcess, type HostTime } from './process.ts';
import { createRandom, type Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { simStorageHost, StorageDisk, type FoundStorage, type VolumeContents } from './storage-host.ts';
import type { SimSocket } from './socket.ts';
import type { Behaviour, Durations, HookEvent } from './behaviour.ts';

export interface MachineOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly network: SimNetwork;
  readonly instance: Instance;
  readonly modelUuid: string;
  readonly machineId: string;
  readonly agentConf: string;
  /** Returns what stands for the code of a model's charm of that URL. */
  readonly behaviour: (modelUuid: string, url: string) => Behaviour;
  /** Known durations; absent = they are drawn. */
  readonly durations?: Durations | undefined;
  readonly onHook: (event: HookEvent) => void;
  /** Called when the agent has connected. */
  readonly onConnected?: () => void;
  /** Contents of the cloud's volumes. */
  readonly volumes: VolumeContents;
  readonly cloud: Pick<SimulatedCloud, 'volumes'>;
  /** Makes the cloud forget the instance. */
  readonly vanish: () => void;
  /** Makes the cloud list the instance as stopped. */
  readonly halt: () => void;
  /** What is on a machine that has run before; absent = it boots for the first time. */
  readonly found?: FoundMachine | undefined;
  /** Makes containers on the machine; absent = it is a container itself. */
  readonly makeContainer?: ContainersOptions['make'];
}

/** A machine that has run before the world began. */
export interface FoundMachine {
  /** `running`: its agent is connected; `silent`: nothing is heard of it; `stopped`: its instance is stopped. */
  readonly as: 'running' | 'silent' | 'stopped';
  /** Id of its boot. */
  readonly bootId: string;
  readonly facts: ReturnType<ConstructorParameters<typeof MachineAgent>[0]['facts']>;
  /** URL of the charm in the folder of each unit. */
  readonly units: ReadonlyMap<string, string>;
  readonly storage: readonly FoundStorage[];
}

const version = '3.6.28';
const bootMs = [2_000, 60_000] as const;
const slowBootMs = 900_000;
const rebootMs = [5_000, 60_000] as const;
const writeMs = [0.05, 3] as const;
/** Delay of a restart: systemd's RestartSec, and the time for a start. */
const restartMs = [500, 5_000] as const;

export class MachineHost {
  readonly instance: string;
  readonly model: string;
  readonly id: string;
  state: 'booting' | 'running' | 'stopped' | 'lost' | 'released' = 'booting';
  removed = false;
  crashes = 0;
  readonly #options: MachineOptions;
  readonly #host: SimHost;
  readonly #time: HostTime = { offset: 0 };
  readonly #disk: UnitDisk = new Map();
  readonly #states = new Map<string, string>();
  readonly #storage = new StorageDisk();
  /** Content of agent.conf on the machine's disk. */
  #conf: AgentConf;
  /** Content of agent.conf being written: a crash leaves the old or the new one. */
  #nextConf: AgentConf | undefined;
  readonly #containers: SimContainers | undefined;
  readonly #random: Random;
  #process: SimProcess | undefined;
  #boots = 0;
  #runs = 0;
  #dieAt: number | undefined;
  /** Number of the pending start; a later one cancels it. */
  #start = 0;

  constructor(options: MachineOptions) {
    const { instance, seed, faults } = options;
    this.#options = options;
    this.instance = instance.id;
    this.model = options.modelUuid;
    this.id = options.machineId;
    this.#host = { name: instance.addresses[0]?.value ?? instance.id, cutUntil: 0, off: false };
    this.#conf = parseAgentConf(options.agentConf);
    const { makeContainer: make } = options;
    const { containerStart } = options.durations ?? {};
    this.#containers =
      make &&
      new SimContainers({ instance: instance.id, faults, make, ...defined({ startMs: containerStart }) });
    this.#random = createRandom(seed, `machine ${instance.id}`);
    if (options.found) this.#find(options.found);
    else this.#startAfter(this.#firstBootMs(), 'boot');
  }

  #firstBootMs(): number {
    const { durations, faults } = this.#options;
    const usual = durations?.boot(this.id) ?? this.#random.skewed(...bootMs);
    return faults.happens('boot-slow')
      ? usual + faults.stream('boot-slow').skewed(10_000, slowBootMs)
      : usual;
  }

  #rebootMs(): number {
    return this.#options.durations?.reboot ?? this.#random.skewed(...rebootMs);
  }

  #find({ as, units, storage }: FoundMachine): void {
    for (const [unit, url] of units) this.#disk.set(unit, url);
    for (const one of storage) this.#storage.find(one, this.instance);
    if (as === 'running') return this.#startAfter(0, 'restart');
    this.state = as === 'silent' ? 'lost' : 'stopped';
    this.#host.off = true;
  }

  /** Makes a container known that the machine has had before the world began. */
  adopt(container: AdoptedContainer): void {
    this.#containers?.adopt(container);
  }

  get up(): boolean {
    return this.#process?.alive ?? false;
  }
  get steps(): number {
    return this.#process?.steps ?? 0;
  }

  crash(): void {
    this.#process?.kill();
  }
  crashAtStep(step: number): void {
    if (this.up) this.#process?.dieAtStep(step);
    else this.#dieAt = step;
  }
  /** Crashes the agent this many steps from now. */
  crashSoon(steps: number): void {
    this.#process?.dieAtStep(this.steps + steps);
  }

  reboot(): void {
    if (this.state !== 'running') return;
    this.#host.off = true;
    this.#process?.kill();
    this.#storage.off();
    this.#containers?.off();
    this.#startAfter(this.#rebootMs(), 'boot');
  }

  lose(instance: 'stays' | 'vanishes'): void {
    if (this.state === 'released') return;
    this.#end('lost');
    this.#containers?.end('lost', instance === 'vanishes');
    if (instance === 'vanishes') this.#options.vanish();
  }

  halt(): void {
    if (this.state !== 'running') return;
    this.off();
    this.#options.halt();
  }

  /** Turns the machine off until it is started again. */
  off(): void {
    if (this.state !== 'running' && this.state !== 'booting') return;
    this.#end('stopped');
    this.#containers?.off();
  }

  /** Called when the cloud has started the machine again. */
  restarted(): void {
    if (this.state !== 'stopped') return;
    this.state = 'booting';
    this.#startAfter(this.#rebootMs(), 'boot');
  }

  /** Called when the cloud has removed the machine. */
  released(): void {
    this.#end('released');
    this.#containers?.end('released', true);
  }

  /** Instances of the containers on the machine. */
  inside(): readonly Instance[] {
    return this.#containers?.instances() ?? [];
  }

  partition(ms: number): void {
    this.#host.cutUntil = Math.max(this.#host.cutUntil, this.#options.scheduler.now + ms);
  }
  heal(): void {
    this.#host.cutUntil = 0;
    this.#process?.dieAtStep(undefined);
    this.#dieAt = undefined;
  }
  jumpClock(ms: number): void {
    this.#time.offset += ms;
  }
  units(): readonly string[] {
    return [...this.#disk.keys()];
  }

  mounts(): readonly string[] {
    return [...new Set([...this.#storage.mounted.keys(), ...this.#storage.devices.keys()])];
  }

  #end(state: 'stopped' | 'lost' | 'released'): void {
    this.#storage.off();
    this.state = state;
    this.#start++;
    this.#host.off = true;
    this.#process?.kill();
    if (state === 'released') this.#disk.clear();
  }

  #startAfter(delay: number, name: 'boot' | 'restart'): void {
    const turn = ++this.#start;
    this.#options.scheduler.after(delay, `machine-${this.id}`, name, () => {
      if (turn !== this.#start) return;
      if (name === 'boot') this.#boots++;
      this.#host.off = false;
      this.state = 'running';
      this.#startAgent();
    });
  }

  #startAgent(): void {
    const { seed, scheduler, faults, behaviour, durations, instance, modelUuid, volumes, cloud, found } =
      this.#options;
    const process = new SimProcess({
      scheduler,
      name: `machine-${this.id}`,
      run: `${this.instance} ${++this.#runs}`,
      seed,
      time: this.#time,
    });
    process.dieAtStep(this.#dieAt);
    this.#dieAt = undefined;
    this.#process = process;
    process.onDeath(() => {
      // Without this check the end of the whole machine would count as a crash.
      if (!this.removed && !this.#host.off) this.crashes++;
      if (this.state === 'running' && !this.removed)
        this.#startAfter(this.#random.skewed(...restartMs), 'restart');
    });
    if (this.#nextConf && this.#random.chance(0.5)) this.#conf = this.#nextConf;
    this.#nextConf = undefined;
    const link = this.#link(process);
    const agent = new MachineAgent({
      machineId: this.id,
      version,
      bootId: this.#boots === 0 ? (found?.bootId ?? '') : `${found?.bootId ?? this.instance}-${this.#boots}`,
      connect: link.connect,
      tryController: link.tryController,
      hosts: simUnitHosts({
        process,
        disk: this.#disk,
        states: this.#states,
        faults,
        behaviour: (url) => behaviour(modelUuid, url),
        durations,
        storage: this.#storage,
        fetchCharm: link.fetchCharm,
        tell: (event) =>
          this.#options.onHook({ ...event, at: scheduler.now, instance: this.instance, machine: this.id }),
      }),
      containers: this.#containers?.broker(process),
      storage: simStorageHost({
        process,
        disk: this.#storage,
        faults,
        instance: this.instance,
        modelUuid,
        volumes,
        cloud,
      }),
      runCommand: async (_command, { signal }) => {
        await process.clock.sleep(process.random.skewed(10, 2_000), signal);
        return { kind: 'done', code: 0, reboot: '' };
      },
      facts: () =>
        found?.facts ?? {
          hostname: instance.displayName,
          addresses: instance.addresses.map(({ value, scope }) => ({ value, scope })),
          hardware: { arch: 'amd64', cores: 1, mem: 1024 },
          version,
        },
      clock: process.clock,
      random: () => process.random.next(),
      newId: () => process.random.uuid(),
      logSink: ({ level, message }) => {
        if (process.alive) scheduler.trace.note(process.name, level, message);
      },
    });
    void agent.done.then((why) => {
      if (why === 'reboot') this.reboot();
      else this.removed = true;
      process.kill();
    });
  }

  /** Saves agent.conf; it is durable when this resolves. */
  #saveConf(process: SimProcess, conf: AgentConf): Promise<void> {
    return new Promise((resolve) => {
      if (!process.does('write', 'agent.conf')) return;
      this.#nextConf = conf;
      process.after(this.#random.skewed(...writeMs), 'written', () => {
        this.#conf = conf;
        this.#nextConf = undefined;
        resolve();
      });
    });
  }

  /** Makes the real agent's link, over the simulated network. */
  #link(process: SimProcess): Pick<ReturnType<typeof controllerLink>, 'connect' | 'tryController'> & {
    fetchCharm: (signal: AbortSignal) => Promise<void>;
  } {
    const { network } = this.#options;
    const { trace } = this.#options.scheduler;
    const own = new OwnPassword(this.#conf, {
      save: (conf) => this.#saveConf(process, conf),
      newPassword: () => process.random.uuid(),
      clock: process.clock,
      log: createLog(
        'grigri.machine',
        ({ level, message }) => trace.note(process.name, level, message),
        () => process.clock.now(),
      ),
    });
    const { model } = this.#conf;
    const open = (addresses: readonly string[], path: string, signal: AbortSignal): Promise<SimSocket> =>
      firstThatAnswers(addresses, signal, (address) =>
        network.connect(process, this.#host, address, path, signal),
      );
    const { connect, tryController } = controllerLink(
      this.#conf,
      own,
      async ({ addresses, login, signal }) => {
        const socket = await open(addresses, `/model/${model}/api`, signal);
        return openConnection(socket, { login, signal, clock: process.clock });
      },
    );
    let known: readonly string[] = [];
    return {
      connect: async (signal) => {
        const connection = await connect(signal);
        known = connection.login.servers;
        this.#options.onConnected?.();
        return connection;
      },
      tryController,
      // Downloads over HTTP are simulated only by the reachability of the controller.
      fetchCharm: async (signal) => {
        const addresses = [...new Set([...this.#conf.apiAddresses, ...known])];
        (await open(addresses, `/model/${model}/charms`, signal)).terminate();
      },
    };
  }
}
