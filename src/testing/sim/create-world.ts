import { createSimulatedProvider } from '../../providers/simulated/index.ts';
import { tagKeys } from '../../providers/provider.ts';
import { startChaos } from './chaos.ts';
import { faultyCloud } from './cloud.ts';
import { ControllerHost } from './controller-process.ts';
import { SimDisk } from './disk.ts';
import { Faults } from './faults.ts';
import { Guard } from './guard.ts';
import { asCommit } from './journal.ts';
import { MachineHost } from './machine-process.ts';
import { SimNetwork } from './network.ts';
import { Operator } from './operator.ts';
import { SimProcess } from './process.ts';
import { createRandom } from './random.ts';
import { Scheduler } from './scheduler.ts';
import {
  faultKinds,
  type HookEvent,
  type SimCharm,
  type World,
  type WorldFailure,
  type WorldOptions,
} from './world.ts';

/** The first controller is up when it resolves. One world at a time in a process. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const { seed, faults: rates = {}, keepTrace = false, keepTraceFrom = 0, validate = true } = options;
  const scheduler = new Scheduler({ seed, keepTraceFrom: keepTrace ? keepTraceFrom : Infinity });
  const { trace } = scheduler;
  const failures: WorldFailure[] = [];
  const fail = (what: string, error?: unknown): void => {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    trace.note('world', 'failure', what + reason);
    failures.push({
      at: scheduler.now,
      event: trace.events,
      process: scheduler.current,
      what: what + reason,
      ...(error === undefined ? {} : { error }),
    });
  };
  scheduler.onError = (error) => fail('an event threw', error);
  const guard = new Guard((name) => fail(`${name} was called in a simulated event`));
  scheduler.guard = guard;
  const onRejection = (error: unknown): void => fail('a promise was rejected and nobody handled it', error);
  process.on('unhandledRejection', onRejection);

  const faults = new Faults({ seed, rates: {}, scheduler });
  const network = new SimNetwork({ seed, scheduler, faults });
  const disk = new SimDisk({ seed, faults });
  const charms = new Map<string, SimCharm>();
  const machines: MachineHost[] = [];
  const hookListeners: ((event: HookEvent) => void)[] = [];
  const commitListeners: Parameters<World['onCommit']>[0][] = [];
  const listen = (what: string, tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      fail(what, error);
    }
  };
  disk.onDurable = (commit) => {
    trace.note('disk', 'commit', `${commit.revision} ${commit.by} ${commit.changes.length}`);
    const told = asCommit(commit);
    for (const tell of commitListeners) listen('a commit broke a rule', () => tell(told, disk.read()));
  };
  const cloud = faultyCloud({
    seed,
    faults,
    onStart({ instance, modelUuid, params }) {
      trace.note('cloud', 'instance made', instance.id);
      machines.push(
        new MachineHost({
          seed,
          scheduler,
          faults,
          network,
          instance,
          modelUuid,
          machineId: params.machineId,
          agentConf: params.agent.agentConf,
          charm: (name) => charms.get(name),
          onHook: (event) => {
            for (const tell of hookListeners) listen('a hook broke a rule', () => tell(event));
          },
          vanish: () => void cloud.forget('', modelUuid, instance.id),
        }),
      );
    },
    onStop(id) {
      trace.note('cloud', 'instance released', id);
      machines.find(({ instance }) => instance === id)?.released();
    },
  });
  const controller = new ControllerHost({
    seed,
    scheduler,
    network,
    disk,
    provider: createSimulatedProvider(cloud),
    validate,
    fail,
  });
  const operators: Operator[] = [];
  const random = createRandom(seed, 'workload');

  /** Until so late, or until something fails that did not before. */
  const driveTo = async (end: number, condition: () => boolean = () => false): Promise<boolean> => {
    const failed = failures.length;
    let seen = -1;
    let second = -1;
    let met = false;
    await scheduler.drive((at) => {
      controller.check();
      const now = Math.floor(scheduler.now / 1000);
      if (seen !== disk.revision || second !== now) {
        seen = disk.revision;
        second = now;
        met = condition();
      }
      return met || failures.length > failed || at > end;
    });
    if (!met && failures.length === failed) scheduler.now = Math.max(scheduler.now, end);
    return met;
  };

  const world: World = {
    seed,
    now: () => scheduler.now,
    random: () => random.next(),
    controller,
    machines,
    cloud: {
      instances: () =>
        cloud.instances().map(({ instance, modelUuid }) => ({
          ...instance,
          modelUuid,
          nonce: instance.tags[tagKeys.nonce] ?? '',
        })),
      setQuota: (quota) => cloud.setQuota(quota),
      setZone: (name, availability) => cloud.setZone(name, availability),
      refuseCredential: (message) => cloud.refuseCredential(message),
    },
    faults: { counts: faults.counts, set: (some) => faults.set(some) },
    operator(script) {
      const place = operators.length;
      const process = new SimProcess({ scheduler, name: `operator-${place}`, run: '', seed });
      const operator = new Operator({ process, network, controller, charms });
      operators.push(operator);
      process.after(0, 'script', () => {
        script(operator).catch((error: unknown) => fail(`operator ${place}`, error));
      });
    },
    at: (ms, name, act) => void scheduler.after(ms - scheduler.now, 'world', name, act),
    calm() {
      faults.set(Object.fromEntries(faultKinds.map((kind) => [kind, 0])));
      controller.heal();
      for (const machine of machines) machine.heal();
    },
    runFor: async (ms) => void (await driveTo(scheduler.now + ms)),
    runUntil: (condition, withinMs) => driveTo(scheduler.now + withinMs, condition),
    async step() {
      const before = trace.events;
      return scheduler.drive(() => trace.events > before);
    },
    onCommit: (listener) => void commitListeners.push(listener),
    onHook: (listener) => void hookListeners.push(listener),
    failures,
    fail,
    traceHash: () => trace.hash(),
    trace: trace.lines,
    get events() {
      return trace.events;
    },
    stop() {
      guard.remove();
      process.off('unhandledRejection', onRejection);
      return Promise.resolve();
    },
  };

  let made = false;
  void controller.init().then(() => (made = true));
  await scheduler.drive(() => made);
  faults.set(rates);
  controller.start();
  startChaos({
    scheduler,
    faults,
    controller,
    machines,
    disconnectOperators() {
      for (const operator of operators) void operator.disconnect();
    },
  });
  return world;
}
