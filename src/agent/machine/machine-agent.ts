import type { Connection } from '../../client/connection.ts';
import type { Clock } from '../../kit/clock.ts';
import { createLog, type Log, type LogRecord, type LogSink } from '../../kit/log.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import type { ExecRequest, ExecResult } from '../../hooks/exec-socket.ts';
import type { ContainerBroker } from '../../providers/contract/provider.ts';
import type { Ways } from '../controller-link.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import { machineTag } from '../../wire/tags.ts';
import { MachineLock } from '../machine-lock.ts';
import { Mirror } from '../mirror.ts';
import type { ProgramHost } from '../program/host.ts';
import { ProgramUpdater } from '../program/updater.ts';
import type { UnitHosts } from '../unit/unit-host.ts';
import { Uplink } from '../uplink.ts';
import { createContainerProvisioner, type ContainerProvisioner } from './container-provisioner.ts';
import { Deployer } from './deployer.ts';
import { runLocally } from './exec.ts';
import { LogShipper } from './log-shipper.ts';
import { MigrationTrial } from './migration-trial.ts';
import { MachineTasks } from './machine-tasks.ts';
import { Machiner } from './machiner.ts';
import type { RunCommand } from './run-command.ts';
import { StorageWorker, type StorageHost } from './storage-worker.ts';
import { SystemSettings, type ApplySettings } from './system-settings.ts';
import type { MachineWorld } from './world.ts';

export interface MachineAgentOptions {
  readonly machineId: string;
  /** Juju's version that this agent reports, `3.6.28`. */
  readonly version: string;
  /** Id of the machine's boot: when it changes, `start` hooks run again. */
  readonly bootId: string;
  /** Makes one attempt to connect; the agent retries forever. */
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  /** Logs in to another controller, as a trial; absent = the model's controller stays the same. */
  readonly tryController?: ((ways: Ways, signal: AbortSignal) => Promise<void>) | undefined;
  readonly hosts: UnitHosts;
  /** Broker for containers on the machine; absent = it cannot have any. */
  readonly containers?: ContainerBroker | undefined;
  /** Storage on the machine; absent = it cannot have any. */
  readonly storage?: StorageHost | undefined;
  /** Programs of the agent; absent = it cannot be replaced. */
  readonly programs?: ProgramHost | undefined;
  readonly runCommand: RunCommand;
  /** Writes settings to the machine; absent = the machine's files do not belong to the agent. */
  readonly applySettings?: ApplySettings | undefined;
  /** Facts that the machine reports. */
  readonly facts: () => MachineAgentMethods['Started']['params'];
  readonly clock: Clock;
  /** Random number with 0 ≤ x < 1. */
  readonly random: () => number;
  /** Makes ids of hooks, unique across processes. */
  readonly newId: () => string;
  /** Sink of the machine's own logs; `entity`: the tag of the machine or unit that a record is of. */
  readonly logSink: (record: LogRecord, entity: string) => void;
}

/**
 * Reason why an agent ended: `removed` = the machine is dead or its record gone, so the agent must not start again;
 * `update` = another program was chosen.
 */
type Ending = 'stopped' | 'removed' | 'reboot' | 'update';

/**
 * The one agent of a machine; the agents of its units are workers in it
 * (machine-environment.md#one-process-per-machine). The constructor starts it.
 */
export class MachineAgent {
  readonly #options: MachineAgentOptions;
  readonly #world: MachineWorld;
  readonly #mirror = new Mirror();
  readonly #uplink: Uplink;
  readonly #shipper: LogShipper;
  readonly #deployer: Deployer;
  readonly #tasks: MachineTasks;
  readonly #containers: ContainerProvisioner;
  #storage!: StorageWorker;
  readonly #workers: readonly Reconciler[];
  readonly #end: (ending: Ending) => void;
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

  /** Runs a request of `juju-exec`. Errors: as runLocally. */
  exec(request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    const { runCommand } = this.#options;
    return runLocally(this.#world, { deployer: this.#deployer, runCommand }, { request, signal });
  }

  /** Stops in order; running hooks are killed, and run again under the next agent. */
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
    const { applySettings, facts, programs } = this.#options;
    const wakeAll = (): void => {
      storing.wake();
      deploying.wake();
    };
    const storage = (this.#storage = new StorageWorker(this.#world, this.#options.storage, wakeAll));
    const settings = new SystemSettings({
      mirror: this.#mirror,
      apply: applySettings,
      log: this.#world.log,
    });
    const machiner = new Machiner(this.#world, { facts, programs, onRemoved: () => this.#end('removed') });
    const updater = new ProgramUpdater(this.#world, programs, {
      onReady: () => this.#end('update'),
      onRefused: () => reporting.wake(),
    });
    const reporting = this.#worker('machiner', (signal) => machiner.pass(signal));
    const trial = new MigrationTrial(this.#world, this.#options.tryController);
    // Units are deployed after the first settings, so that hooks find the machine's proxies and packages in place; each
    // unit as soon as its own storage is in place.
    const deploying = this.#worker('deployer', async (signal) => {
      if (this.#mirror.complete && settings.settled)
        await this.#deployer.reconcile(signal, (unit) => storage.isReadyFor(unit));
    });
    const storing = this.#worker('storage', async (signal) => {
      if (await storage.pass(signal)) deploying.wake();
    });
    return [
      deploying,
      this.#worker('system settings', async (signal) => {
        const before = settings.settled;
        await settings.pass(signal);
        if (!before) deploying.wake();
      }),
      storing,
      reporting,
      this.#worker('program', (signal) => updater.pass(signal)),
      this.#worker('migration trial', (signal) => trial.pass(signal)),
      this.#worker('machine tasks', (signal) => this.#tasks.pass(signal)),
    ];
  }

  #worker(name: string, pass: (signal: AbortSignal) => Promise<number | void>): Reconciler {
    const { clock, random } = this.#options;
    return new Reconciler({ name, pass, clock, log: this.#world.log, random });
  }

  #sinkOf(entity: string): LogSink {
    return (record) => {
      this.#options.logSink(record, entity);
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
    // Unit agents are stopped last: no other worker may start one meanwhile.
    await Promise.all(this.#workers.map((one) => one.stop()));
    await Promise.all([this.#storage.stop(), this.#deployer.stop()]);
    await this.#shipper.stop();
    await this.#uplink.stop();
    return why;
  }
}
