/** A copied model that goes on: the controller's real code with simulated agents, cloud and network. */
import { explainView } from '../controller/facades/shared/explain-view.ts';
import type { AgentBundles } from '../controller/agent-bundles.ts';
import type { ExplainView } from '../core/explain/explanation.ts';
import type { ForecastInput } from '../core/forecast/forecast.ts';
import { unwellKinds } from '../core/forecast/unwell.ts';
import type { Happening, MachineFate } from '../core/forecast/events.ts';
import { JujuError, notFound } from '../core/errors.ts';
import type { Entities, Kind } from '../core/kinds.ts';
import type { MachineDoc } from '../core/machine/document.ts';
import { machineTag } from '../wire/tags.ts';
import { hashSecret } from '../controller/passwords.ts';
import { jujuVersion } from '../core/juju-version.ts';
import { renderAgentConf } from '../wire/agent-conf.ts';
import { asCommit } from '../store/mirror/as-commit.ts';
import type { Reader, Transactor } from '../store/store.ts';
import type { Instance } from '../providers/contract/provider.ts';
import { PlayedCharms } from './charms.ts';
import { ForecastCloud, providerLike, tagsOf } from './cloud.ts';
import { foundMachine } from './found-machines.ts';
import { unreachable } from './other-models.ts';
import { putCopy } from './put-copy.ts';
import { Recoveries } from './recoveries.ts';
import { Timeline } from './timeline.ts';
import { ForecastUser } from './user.ts';
import {
  controllerAddress,
  ControllerHost,
  plainPasswords,
  type RunningController,
} from './world/controller-host.ts';
import type { Durations } from './world/behaviour.ts';
import { SimDisk } from './world/disk.ts';
import { Faults } from './world/faults.ts';
import { MachineHost, type FoundMachine } from './world/machine-host.ts';
import { SimNetwork } from './world/network.ts';
import { SimProcess } from './world/process.ts';
import { createRandom } from './world/random.ts';
import { Scheduler } from './world/scheduler.ts';
import { VolumeContents } from './world/storage-host.ts';

/** Bundles whose archives nobody downloads: every architecture has one. */
const bundles: AgentBundles = {
  archs: ['amd64', 'arm64', 'ppc64el', 's390x', 'riscv64'],
  absence: () => undefined,
  hasBuild: () => false,
  file: () => Promise.resolve({ path: '/nowhere', sha256: '0'.repeat(64), size: 0 }),
};
/** Kinds of which nothing that is played asks for the past. */
const unremembered: ReadonlySet<string> = new Set<Kind>(['lease', 'status', 'unit-state']);

type Started = MachineDoc & Required<Pick<MachineDoc, 'instance'>>;

export class PlayedModel {
  readonly scheduler: Scheduler;
  /** Errors that must never happen: of the controller itself. */
  readonly failures: string[] = [];
  readonly machines: MachineHost[] = [];
  readonly timeline: Timeline;
  readonly recoveries: Recoveries;
  readonly cloud: ForecastCloud;
  readonly controller: ControllerHost;
  readonly #input: ForecastInput;
  readonly #disk: SimDisk;
  readonly #faults: Faults;
  readonly #network: SimNetwork;
  readonly #charms: PlayedCharms;
  readonly #user: ForecastUser;
  readonly #volumes = new VolumeContents();
  #changes = 0;
  /** Number of commands that have no answer yet. */
  #given = 0;
  /** The process whose agents' presence is watched. */
  #watched: RunningController | undefined;
  /** Password of every agent that ran before. */
  readonly #agentPassword: string;

  /** Creates the model from its copy; nothing runs until `begin`. */
  static async open(input: ForecastInput): Promise<PlayedModel> {
    const { seed } = input;
    const scheduler = new Scheduler({ seed, began: input.now });
    const faults = new Faults({ seed, rates: {}, scheduler });
    const disk = new SimDisk({ seed, faults, forgotten: unremembered });
    const network = new SimNetwork({ seed, scheduler, faults });
    const model = new PlayedModel(input, { scheduler, faults, disk, network });
    let put = false;
    const user = model.#user.record(new Date(input.now).toISOString());
    const passwordHash = hashSecret(model.#agentPassword);
    void model.controller
      .prepare((store) => putCopy(store, { documents: input.documents, user, passwordHash }))
      .then(() => (put = true));
    await scheduler.drive(() => put);
    if (!put) throw new Error('the copy could not be stored');
    model.#know();
    return model;
  }

  private constructor(
    input: ForecastInput,
    parts: {
      readonly scheduler: Scheduler;
      readonly faults: Faults;
      readonly disk: SimDisk;
      readonly network: SimNetwork;
    },
  ) {
    const { seed, modelUuid, controllerUuid, cloud: traits, durations } = input;
    this.#input = input;
    this.scheduler = parts.scheduler;
    this.#disk = parts.disk;
    this.#faults = parts.faults;
    this.#network = parts.network;
    const random = createRandom(seed, 'cloud');
    this.#agentPassword = random.uuid();
    const subnets = input.documents.flatMap(({ kind, doc }) =>
      kind === 'subnet' ? [(doc as Entities['subnet']).cidr] : [],
    );
    this.cloud = new ForecastCloud({
      scheduler: this.scheduler,
      random: () => random.next(),
      traits,
      durations,
      networks: subnets,
      onStart: ({ instance, params }) => {
        this.#addMachine(instance, params.machineId, params.agent.agentConf);
      },
      onStop: (id) => this.#hostOf(id)?.released(),
      onRestart: (id) => this.#hostOf(id)?.restarted(),
    });
    const process = new SimProcess({ scheduler: this.scheduler, name: 'user', run: '', seed });
    this.#user = new ForecastUser({ process, network: this.#network, modelUuid });
    this.controller = new ControllerHost({
      seed,
      scheduler: this.scheduler,
      network: this.#network,
      disk: this.#disk,
      uuid: controllerUuid,
      provider: providerLike(traits, this.cloud.cloud),
      bundles,
      parts: () => ({ passwords: plainPasswords, between: unreachable }),
      fail: (what, error) => this.failures.push(error instanceof Error ? `${what}: ${error.message}` : what),
    });
    this.timeline = new Timeline(
      () => this.scheduler.now,
      () => this.view(),
    );
    this.recoveries = new Recoveries({
      now: () => this.scheduler.now,
      tell: (...line) => this.timeline.add(...line),
      agents: () => this.#agents(),
    });
    this.#charms = new PlayedCharms(() => this.view(), durations);
  }

  /** Takes from the stored copy what its charms and its history's words depend on. */
  #know(): void {
    this.timeline.know();
    this.#charms.know();
  }

  /** The model's newest durable state. */
  view(): Reader<Entities> {
    return this.#disk.read().in(this.#input.modelUuid);
  }

  /** The model's state for explanations; undefined while the controller is down. */
  explainView(): ExplainView | undefined {
    const { running } = this.controller;
    if (!running?.process.alive) return undefined;
    const { presence } = running.composed.services;
    const { modelUuid } = this.#input;
    return explainView({
      view: this.view(),
      now: new Date(this.#input.now + Math.floor(this.scheduler.now)).toISOString(),
      present: ({ id, isController }) => isController || presence.isPresent(modelUuid, id),
      absentSince: (machine) => presence.absentSince(modelUuid, machine),
      heardAt: (machine) => presence.heardAt(modelUuid, machine),
    });
  }

  /** Starts the controller and the machines that the cloud has. */
  async begin(): Promise<void> {
    const view = this.view();
    const of = { view, controllerUuid: this.#input.controllerUuid };
    const present = new Set(this.#input.present);
    const machines = [...view.list('machine')].filter(
      (machine): machine is Started => machine.instance !== undefined && !machine.isController,
    );
    // Hosts come before their containers.
    for (const machine of machines.filter(({ parent }) => parent === undefined)) {
      const isLost = view.get('status', `instance:${machine.id}`)?.status === 'lost';
      if (!machine.instance.unmanaged && !isLost) await this.cloud.have(machine, of);
      this.#find(machine, present.has(machine.id));
    }
    for (const machine of machines.filter(({ parent }) => parent !== undefined))
      this.#find(machine, present.has(machine.id));
    await this.cloud.haveVolumes(view, this.#input.controllerUuid);
    this.cloud.skipAddresses(view.in(this.#input.modelUuid).get('sequence', 'machine')?.next ?? 0);
    this.#disk.onDurable = (commit) => {
      if (commit.changes.some(({ kind }) => unwellKinds.has(kind))) this.#changes++;
      this.timeline.see(asCommit<Entities>(commit));
    };
    this.controller.start();
  }

  /** Number of changes of what is told of the model; equal numbers mean that nothing has changed. */
  get changes(): number {
    const { running } = this.controller;
    if (running !== this.#watched) {
      this.#watched = running;
      this.#changes++;
      running?.composed.services.presence.watch(() => void this.#changes++);
    }
    return this.#changes;
  }

  /** How long a hook of a unit takes, in ms. */
  get hookMs(): Durations['hook'] {
    return this.#charms.durations.hook;
  }

  /** Whether a command is being carried out, or somebody is expected back. */
  get isWaiting(): boolean {
    return this.#given > 0 || this.recoveries.isWaiting;
  }

  /** Makes it happen, now. */
  happen(what: Happening): void {
    switch (what.kind) {
      case 'machine':
        this.#befall(what.machine, what.how);
        return this.recoveries.expectAgent(what.machine);
      case 'cut-off':
        this.#mustFind(what.machine).partition(what.forMs);
        return this.recoveries.expectAgent(what.machine, what.forMs);
      case 'zone':
        return this.#zone(what.zone, what.fails);
      case 'cloud':
        return this.cloud.setMood(what.how);
      case 'controller-killed':
        this.controller.crash();
        return this.recoveries.expectController();
      case 'hook':
        return this.#charms.fail(what.units, what.hook);
      case 'command':
        return this.#unlessRefused('event', this.#user.give(what.command));
      case 'apply':
        return this.#apply(what.file);
    }
  }

  #apply(name: string): void {
    const { files, modelUuid } = this.#input;
    const file = files.find((one) => one.name === name);
    const model = this.view().in('').get('model', modelUuid);
    if (!file || !model) throw notFound('file', name);
    const entity = `apply ${name}`;
    const applied = this.#user.apply(file, {
      model: `${model.owner}/${model.name}`,
      change: (fn) => this.#change(fn),
      tell: (what) => this.timeline.add(entity, what),
    });
    this.#unlessRefused(entity, applied);
  }

  #unlessRefused(entity: string, done: Promise<void>): void {
    this.#given++;
    void done
      .catch((error: unknown) =>
        this.timeline.add(entity, `refused: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => this.#given--);
  }

  /** Changes the model as an upload does at its end. Errors: `try again` while the controller is down. */
  #change<R>(fn: (tx: Transactor<Entities>) => R): Promise<R> {
    const { running } = this.controller;
    if (!running?.process.alive) return Promise.reject(new JujuError('try again', 'the controller is down'));
    return running.store.change((tx) => fn(tx.in(this.#input.modelUuid)), 'user-what-if');
  }

  #befall(machine: string, how: MachineFate): void {
    const host = this.#mustFind(machine, how);
    if (how !== 'lost' && host.state !== 'running')
      throw new JujuError('', `machine ${machine} is ${host.state}`);
    switch (how) {
      case 'lost':
        return host.lose('vanishes');
      case 'stops':
        return host.halt();
      case 'reboots':
        return host.reboot();
      case 'agent-killed':
        return host.crash();
    }
  }

  /** Number of machines that run, and of those whose agents are connected. */
  #agents(): 'down' | { readonly connected: number; readonly all: number } {
    const { running } = this.controller;
    if (!running?.process.alive) return 'down';
    const { presence } = running.composed.services;
    const all = this.machines.filter(({ state, removed }) => state === 'running' && !removed);
    const connected = all.filter(({ id }) => presence.isPresent(this.#input.modelUuid, id));
    return { connected: connected.length, all: all.length };
  }

  #zone(zone: string, fails: boolean): void {
    this.cloud.cloud.setZone(zone, fails ? 'unavailable' : 'available');
    if (!fails) return;
    for (const { instance } of this.cloud.cloud.instances())
      if (instance.zone === zone) this.#hostOf(instance.id)?.lose('stays');
  }

  /** Errors: `not found` when no instance of the machine runs, and none is left that can be lost. */
  #mustFind(machine: string, how?: MachineFate): MachineHost {
    const host = this.machines.findLast(({ id }) => id === machine);
    if (!host) throw notFound('machine', machine);
    // The cloud still lists the instances of a failed zone.
    const isLeft = this.cloud.cloud.instances().some(({ instance }) => instance.id === host.instance);
    if ((host.state === 'lost' && !(how === 'lost' && isLeft)) || host.state === 'released')
      throw new JujuError('', `machine ${machine} is gone already`);
    return host;
  }

  #hostOf(instance: string): MachineHost | undefined {
    return this.machines.find((host) => host.instance === instance);
  }

  #find(machine: Started, present: boolean): void {
    const { id, parent, instance, addresses, nonce = '' } = machine;
    const { modelUuid, controllerUuid, cloud } = this.#input;
    const agentConf = renderAgentConf({
      tag: machineTag(id),
      controller: controllerUuid,
      model: modelUuid,
      apiAddresses: [controllerAddress],
      caCert: 'simulated',
      apiPassword: this.#agentPassword,
      nonce,
      upgradedToVersion: jujuVersion,
      providerType: cloud.type,
    });
    const seen: Instance = {
      id: instance.id,
      displayName: instance.displayName,
      status: 'running',
      message: '',
      addresses,
      tags: tagsOf(machine, this.#input),
      isolation: instance.isolation,
    };
    const found = foundMachine(machine, { view: this.view(), present });
    if (parent === undefined) return void this.#addMachine(seen, id, agentConf, { found });
    const make = (vanish: () => void): MachineHost =>
      this.#addMachine(seen, id, agentConf, { found, vanish });
    this.machines.findLast((one) => one.id === parent)?.adopt({ instance: seen, nonce, make });
  }

  #addMachine(
    instance: Instance,
    machineId: string,
    agentConf: string,
    { found, vanish }: { readonly found?: FoundMachine | undefined; readonly vanish?: () => void } = {},
  ): MachineHost {
    const { seed, modelUuid } = this.#input;
    const { cloud } = this.cloud;
    const host = new MachineHost({
      seed,
      scheduler: this.scheduler,
      faults: this.#faults,
      network: this.#network,
      instance,
      modelUuid,
      machineId,
      agentConf,
      behaviour: () => this.#charms.behaviour,
      durations: this.#charms.durations,
      onHook: (hook) => this.recoveries.ran(hook),
      onConnected: () => this.recoveries.connected(machineId),
      volumes: this.#volumes,
      cloud,
      found,
      ...(vanish
        ? { vanish, halt: () => undefined }
        : {
            vanish: () => void cloud.vanish(instance.id),
            halt: () => void cloud.halt(instance.id),
            makeContainer: ({ instance: made, params: { machineId: of, agent }, vanish: forget }) =>
              this.#addMachine(made, of, agent.agentConf, { vanish: forget }),
          }),
    });
    this.machines.push(host);
    return host;
  }
}
