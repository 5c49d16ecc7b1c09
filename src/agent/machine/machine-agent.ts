import type { Connection } from '../../client/connection.ts';
import { hasCode } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import type { Clock } from '../../kit/clock.ts';
import { createLog, type LogSink } from '../../kit/log.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import type { ExecRequest, ExecResult } from '../../hooks/exec-socket.ts';
import type { ContainerBroker } from '../../providers/provider.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import { machineTag } from '../../wire/tags.ts';
import { MachineLock } from '../machine-lock.ts';
import { Mirror } from '../mirror.ts';
import { mirrorRefs } from '../mirror-refs.ts';
import { commandOf, execName, execOutcome, Tasks, timeoutOf } from '../unit/tasks.ts';
import type { UnitHosts } from '../unit/unit-host.ts';
import { Uplink } from '../uplink.ts';
import { createContainerProvisioner } from './container-provisioner.ts';
import { Deployer } from './deployer.ts';
import { runLocally } from './exec.ts';
import { LogShipper } from './log-shipper.ts';
import type { RunCommand } from './run-command.ts';
import { machineEnvironment, SystemSettings, type ApplySettings } from './system-settings.ts';
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

export interface MachineAgent {
  /** What `juju-exec` asks for. Errors: as runLocally. */
  exec(request: ExecRequest, signal: AbortSignal): Promise<ExecResult>;
  /** Ends it in order; hooks that run are killed, and run again under the next agent. */
  stop(): Promise<void>;
  /**
   * Resolves after the agent has ended: `removed` = the machine is dead, or its record gone: nothing is left to do for ever; `reboot` =
   * a charm asked for it: start the agent again with another bootId.
   */
  readonly done: Promise<'stopped' | 'removed' | 'reboot'>;
}

/** The one agent of a machine: its units' agents are workers in it (machine-environment.md#one-process-per-machine). */
export function startMachineAgent(options: MachineAgentOptions): MachineAgent {
  const { machineId, version, bootId, hosts, clock, random, newId } = options;
  const { promise: ending, resolve: end } = Promise.withResolvers<'stopped' | 'removed' | 'reboot'>();
  const tag = machineTag(machineId);
  const mirror = new Mirror();
  const sinkOf =
    (entity: string): LogSink =>
    (record) => {
      options.logSink(record);
      shipper.add(entity, record);
    };
  const log = createLog('grigri.machine', sinkOf(tag), () => clock.now());
  const uplink = new Uplink({
    connect: options.connect,
    mirror,
    onChange,
    onRemoved: () => end('removed'),
    clock,
    random,
    log,
  });
  const shipper = new LogShipper({ api: uplink, connected: () => uplink.connected, clock, random });
  const world: MachineWorld = {
    machineId,
    version,
    bootId,
    mirror,
    api: uplink,
    hosts,
    lock: new MachineLock(),
    clock,
    random,
    newId,
    log,
    sinkOf,
    reboot: () => end('reboot'),
  };
  const deployer = new Deployer(world);
  const tasks = new Tasks({ receiver: machineId, api: uplink, mirror });
  const containers = createContainerProvisioner(world, {
    broker: options.containers,
    wake: () => provisioner.wake(),
  });
  const settings = new SystemSettings({ mirror, apply: options.applySettings, log });
  let reported = false;

  const worker = (name: string, pass: (signal: AbortSignal) => Promise<number | void>): Reconciler =>
    new Reconciler({ name, pass, clock, log, random });
  const provisioner = worker('provisioner', (signal) => containers.pass(signal));
  // Hooks find the machine's proxies and packages where they are to be.
  const deploying = worker('deployer', async (signal) => {
    if (mirror.complete && settings.settled) await deployer.reconcile(signal);
  });
  const workers = [
    provisioner,
    deploying,
    worker('system settings', async (signal) => {
      const before = settings.settled;
      await settings.pass(signal);
      if (!before) deploying.wake();
    }),
    worker('machiner', (signal) => machiner(signal)),
    worker('machine tasks', (signal) => runTasks(signal)),
  ];

  function onChange(): void {
    shipper.configure(mirror.model()?.loggingConfig ?? '');
    tasks.onChange();
    containers.onChange();
    deployer.wake();
    for (const one of workers) one.wake();
  }

  /**
   * Reports the machine as started, and as dead once it is dying and nothing impedes it
   * (unit-agent.md#machine-reports).
   */
  async function machiner(signal: AbortSignal): Promise<void> {
    if (!mirror.complete) return;
    const machine = mirror.machine();
    if (!machine || machine.life === 'dead') return end('removed');
    if (!reported) {
      await uplink.call('Started', options.facts(), { signal });
      reported = true;
    }
    const refs = mirrorRefs(mirror, machineId);
    if (machine.life === 'alive' || isImpeded({ kind: 'machine', id: machineId }, refs)) return;
    const stopped = { kind: 'machine-agent' as const, unit: '', status: 'stopped', message: '' };
    await uplink.call('SetStatus', stopped, { signal });
    try {
      await uplink.call('MachineDead', {}, { signal });
    } catch (error) {
      // Something came meanwhile: the stream will tell.
      if (hasCode(error, 'machine has assigned units')) return;
      if (hasCode(error, 'machine is hosting containers')) return;
      throw error;
    }
    log.info('machine is dead');
    end('removed');
  }

  async function runTasks(signal: AbortSignal): Promise<void> {
    if (!mirror.complete) return;
    const runOne = tasks.runNext.bind(tasks, async (task, abort) => {
      if (task.name !== execName) {
        return { status: 'failed', message: `action "${task.name}" not defined on machines`, output: {} };
      }
      const timeoutMs = timeoutOf(task);
      const environment = machineEnvironment(mirror);
      const limits = { signal: abort, environment, ...(timeoutMs !== undefined && { timeoutMs }) };
      return world.lock.hold(abort, async () =>
        execOutcome(await options.runCommand(commandOf(task), limits)),
      );
    });
    while (await runOne(signal));
  }

  uplink.start();
  shipper.start();
  for (const one of workers) one.start();
  const done = ending.then(async (why) => {
    // Nobody else may start a unit's agent while they are stopped.
    await Promise.all(workers.map((one) => one.stop()));
    await deployer.stop();
    await shipper.stop();
    await uplink.stop();
    return why;
  });
  return {
    done,
    exec: (request, signal) =>
      runLocally(world, { deployer, runCommand: options.runCommand }, { request, signal }),
    async stop() {
      end('stopped');
      await done;
    },
  };
}
