import type { Connection } from '../../client/connection.ts';
import type { Clock } from '../../kit/clock.ts';
import { createLog, type Log, type LogSink } from '../../kit/log.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import type { ExecRequest, ExecResult } from '../../hooks/exec-socket.ts';
import type { ContainerBroker } from '../../providers/provider.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import { machineTag } from '../../wire/tags.ts';
import { MachineLock } from '../machine-lock.ts';
import { Mirror } from '../mirror.ts';
import type { UnitHosts } from '../unit/unit-host.ts';
import { Uplink } from '../uplink.ts';
import { createContainerProvisioner, type ContainerProvisioner } from './container-provisioner.ts';
import { Deployer } from './deployer.ts';
import { runLocally } from './exec.ts';
import { LogShipper } from './log-shipper.ts';
import { MachineTasks } from './machine-tasks.ts';
import { Machiner } from './machiner.ts';
import type { RunCommand } from './run-command.ts';
import { SystemSettings, type ApplySettings } from './system-settings.ts';
import type { MachineWorld } from './world.ts';

export interface MachineAgentOptions {
  readonly machineId: string;
  /** Juju's version that we are, `3.6.28`. */
  readonly version: string;
  /** Changes with each boot of the machine: `start` hooks run again. */
  readonly bootId: string;
  /** One attempt; the agent tries for ever. */
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  readonly hosts: UnitHosts;
  /** Makes containers on the machine; absent = it can have none. */
  readonly containers?: ContainerBroker | undefined;
  readonly runCommand: RunCommand;
  /** Absent: the machine's files are not the agent's to write. */
  readonly applySettings?: ApplySettings | undefined;
  /** What the machine says of itself. */
  readonly facts: () => MachineAgentMethods['Started']['params'];
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Makes hooks' ids: never the same twice, in no process. */
  readonly newId: () => string;
  /** The machine's own log. */
  readonly logSink: LogSink;
}

/** Why an agent ended: `removed` = the machine is dead, or its record gone: nothing is left to do for ever. */
type Ending = 'stopped' | 'removed' | 'reboot';

/** The one agent of a machine: its units' agents are workers in it (machine-environment.md#one-process-per-machine). It starts when it is made. */
export class MachineAgent {
  readonly #options: MachineAgentOptions;
  readonly #world: MachineWorld;
  readonly #mirror = new Mirror();
  readonly #uplink: Uplink;
  readonly #shipper: LogShipper;
  readonly #deployer: Deployer;
  readonly #tasks: MachineTasks;
  readonly #containers: ContainerProvisioner;
  readonly #workers: readonly Reconciler[];
  readonly #end: (why: Ending) => void;
  /** Resolves after the agent has ended; `reboot` = a charm asked for it: start the agent again with another bootId. */
  readonly done: Promise<Ending>;

  constructor(options: MachineAgentOptions) {
    this.#options = options;
    const { clock, random } = options;
    const { promise: ending, resolve: end } = Promise.withResolvers<Ending>();
    this.#end = end;
    const log = createLog('grigri.machine', this.#sinkOf(machineTag(options.machineId)), () => clock.now());
    this.#uplink = new Uplink({
      connect: options.connect,
      mirror: this.#mirror,
      onChange: () => this.#onChange(),
      onRemoved: () => end('removed'),
      clock,
      random,
      log,
    });
    this.#shipper = new LogShipper({
      api: this.#uplink,
      connected: () => this.#uplink.connected,
      clock,
      random,
    });
    this.#world = this.#makeWorld(log);
    this.#deployer = new Deployer(this.#world);
    this.#tasks = new MachineTasks(this.#world, options.runCommand);
    const provisioner = this.#worker('provisioner', (signal) => this.#containers.pass(signal));
    this.#containers = createContainerProvisioner(this.#world, {
      broker: options.containers,
      wake: () => provisioner.wake(),
    });
    this.#workers = [provisioner, ...this.#makeWorkers()];
    this.#uplink.start();
    this.#shipper.start();
    for (const one of this.#workers) one.start();
    this.done = ending.then((why) => this.#close(why));
  }

  /** What `juju-exec` asks for. Errors: as runLocally. */
  exec(request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    const { runCommand } = this.#options;
    return runLocally(this.#world, { deployer: this.#deployer, runCommand }, { request, signal });
  }

  /** Ends it in order; hooks that run are killed, and run again under the next agent. */
  async stop(): Promise<void> {
    this.#end('stopped');
    await this.done;
  }

  #makeWorld(log: Log): MachineWorld {
    const { machineId, version, bootId, hosts, clock, random, newId } = this.#options;
    return {
      machineId,
      version,
      bootId,
      mirror: this.#mirror,
      api: this.#uplink,
      hosts,
      lock: new MachineLock(),
      clock,
      random,
      newId,
      log,
      sinkOf: (entity) => this.#sinkOf(entity),
      reboot: () => this.#end('reboot'),
    };
  }

  #makeWorkers(): Reconciler[] {
    const { applySettings, facts } = this.#options;
    const settings = new SystemSettings({
      mirror: this.#mirror,
      apply: applySettings,
      log: this.#world.log,
    });
    const machiner = new Machiner(this.#world, { facts, onRemoved: () => this.#end('removed') });
    // Hooks find the machine's proxies and packages where they are to be.
    const deploying = this.#worker('deployer', async (signal) => {
      if (this.#mirror.complete && settings.settled) await this.#deployer.reconcile(signal);
    });
    return [
      deploying,
      this.#worker('system settings', async (signal) => {
        const before = settings.settled;
        await settings.pass(signal);
        if (!before) deploying.wake();
      }),
      this.#worker('machiner', (signal) => machiner.pass(signal)),
      this.#worker('machine tasks', (signal) => this.#tasks.pass(signal)),
    ];
  }

  #worker(name: string, pass: (signal: AbortSignal) => Promise<number | void>): Reconciler {
    const { clock, random } = this.#options;
    return new Reconciler({ name, pass, clock, log: this.#world.log, random });
  }

  #sinkOf(entity: string): LogSink {
    return (record) => {
      this.#options.logSink(record);
      this.#shipper.add(entity, record);
    };
  }

  #onChange(): void {
    this.#shipper.configure(this.#mirror.model()?.loggingConfig ?? '');
    this.#tasks.onChange();
    this.#containers.onChange();
    this.#deployer.wake();
    for (const one of this.#workers) one.wake();
  }

  async #close(why: Ending): Promise<Ending> {
    // Nobody else may start a unit's agent while they are stopped.
    await Promise.all(this.#workers.map((one) => one.stop()));
    await this.#deployer.stop();
    await this.#shipper.stop();
    await this.#uplink.stop();
    return why;
  }
}
