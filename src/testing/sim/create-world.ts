import { createSimulatedProvider, releasedVolumes } from '../../providers/clouds/simulated/index.ts';
import { tagKeys, type Instance, type StartParams } from '../../providers/contract/provider.ts';
import { startChaos } from './chaos.ts';
import { faultyCloud, zoneNames } from './cloud.ts';
import { Controllers } from './controllers.ts';
import { faultKinds, Faults } from '../../forecast/world/faults.ts';
import { Guard } from './guard.ts';
import { MachineHost, type MachineOptions } from '../../forecast/world/machine-host.ts';
import { SimNetwork } from '../../forecast/world/network.ts';
import { Operator } from './operator.ts';
import { SimProcess } from '../../forecast/world/process.ts';
import { Trace } from './trace.ts';
import { SimVault } from './vault.ts';
import { VolumeContents } from '../../forecast/world/storage-host.ts';
import { contentsAtFirst, foundVolumes } from './found-volumes.ts';
import { defaultHook } from './default-hook.ts';
import type { HookEvent } from '../../forecast/world/behaviour.ts';
import { createRandom } from '../../forecast/world/random.ts';
import { Scheduler } from '../../forecast/world/scheduler.ts';
import {
  worldBegan,
  type Planted,
  type SimCharm,
  type World,
  type WorldFailure,
  type WorldOptions,
} from './world.ts';
import { defined } from '../../core/defined.ts';

/** Creates a world; the first controller is up when this resolves. One world at a time in a process. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const {
    seed,
    faults: rates = {},
    keepTrace = false,
    keepTraceFrom = 0,
    validate = true,
    durations,
  } = options;
  const scheduler = new Scheduler({ seed, began: worldBegan });
  const trace = new Trace(() => scheduler.now, keepTrace ? keepTraceFrom : Infinity);
  scheduler.trace = trace;
  const failures: WorldFailure[] = [];
  const fail = (what: string, error?: unknown): void => {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    trace.note('world', 'failure', what + reason);
    failures.push({
      at: scheduler.now,
      event: trace.events,
      process: scheduler.current,
      what: what + reason,
      ...defined({ error }),
    });
  };
  scheduler.onError = (error) => fail('an event threw', error);
  const guard = new Guard((name) => fail(`${name} was called in a simulated event`));
  scheduler.guard = guard;
  const onRejection = (error: unknown): void => fail('a promise was rejected and nobody handled it', error);
  process.on('unhandledRejection', onRejection);

  const faults = new Faults({ seed, rates: {}, scheduler });
  const network = new SimNetwork({ seed, scheduler, faults });
  const vault = new SimVault({ scheduler, faults });
  const charms = new Map<string, SimCharm>();
  const machines: MachineHost[] = [];
  const hookListeners: ((event: HookEvent) => void)[] = [];
  const instanceListeners: Parameters<World['onInstance']>[0][] = [];
  const endListeners: Parameters<World['onInstanceEnd']>[0][] = [];
  const restoreListeners: Parameters<World['onRestore']>[0][] = [];
  const volumes = new VolumeContents(contentsAtFirst);
  const volumeListeners: Parameters<World['onVolume']>[0][] = [];
  const planted: Planted[] = [];
  let zonesWereDown = false;
  const commitListeners: Parameters<World['onCommit']>[0][] = [];
  const listen = (what: string, tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      fail(what, error);
    }
  };
  const addMachine = (
    instance: Instance,
    modelUuid: string,
    params: StartParams,
    how: Pick<MachineOptions, 'vanish' | 'halt' | 'makeContainer'>,
  ): MachineHost => {
    for (const tell of instanceListeners) listen('an instance broke a rule', () => tell(instance, modelUuid));
    const machine = new MachineHost({
      seed,
      scheduler,
      faults,
      network,
      instance,
      modelUuid,
      machineId: params.machineId,
      agentConf: params.agent.agentConf,
      behaviour: (model, url) =>
        (charms.get(`${model} ${url}`) ?? charms.get(charmName(url)))?.run ?? defaultHook,
      durations,
      volumes,
      cloud: { volumes: () => cloud.volumes() },
      onHook: (event) => {
        for (const tell of hookListeners) listen('a hook broke a rule', () => tell(event));
      },
      ...how,
    });
    machines.push(machine);
    return machine;
  };
  let outage: string | undefined;
  let lateCalls = 0;
  const cloud = faultyCloud({
    seed,
    faults,
    durations,
    outage: () => outage,
    onStart({ instance, modelUuid, params }) {
      trace.note('cloud', 'instance made', instance.id);
      addMachine(instance, modelUuid, params, {
        vanish: () => void cloud.vanish(instance.id),
        halt: () => void cloud.halt(instance.id),
        makeContainer: (made) =>
          addMachine(made.instance, modelUuid, made.params, { vanish: made.vanish, halt: () => undefined }),
      });
    },
    onStop(id) {
      trace.note('cloud', 'instance released', id);
      const ended = machines.find(({ instance }) => instance === id);
      ended?.released();
      for (const tell of endListeners)
        listen('the end of an instance broke a rule', () => tell(id, ended?.model ?? ''));
      const stray = planted.find(({ instance }) => instance === id);
      if (stray) stray.goneAt = scheduler.now;
    },
    onVolume(volume, how) {
      trace.note('cloud', `volume ${how}`, volume.id);
      const host = machines.find(({ instance }) => instance === volume.attachedTo);
      // Machines that are removed from the model and kept show their last instance for ever.
      const record = host && controller.read().in(host.model).get('machine', host.id);
      const inUse =
        record?.instance?.id === host?.instance &&
        (host?.mounts().includes(volume.tags['juju-storage-instance'] ?? '') ?? false);
      for (const tell of volumeListeners) listen('a volume broke a rule', () => tell({ volume, how, inUse }));
    },
    async wait(ms) {
      lateCalls++;
      await new Promise<void>((resolve) => void scheduler.after(ms, 'cloud', 'late', resolve));
      lateCalls--;
    },
    onRestart(id) {
      trace.note('cloud', 'instance started again', id);
      machines.find(({ instance }) => instance === id)?.restarted();
    },
  });
  for (const name of foundVolumes)
    releasedVolumes(cloud).set(name, { id: name, name, size: 64, tags: {}, modelUuid: '' });
  const controllers = new Controllers(options.controllers ?? 1, {
    seed,
    scheduler,
    faults,
    network,
    vault,
    provider: createSimulatedProvider(cloud),
    validate,
    trace,
    fail,
    onCommit(commit, reader) {
      for (const tell of commitListeners) listen('a commit broke a rule', () => tell(commit, reader));
    },
    onRestore(madeMs) {
      for (const tell of restoreListeners)
        listen('a restore broke a rule', () => tell(controller.read(), madeMs));
    },
  });
  const { joint: controller } = controllers;
  const operators: Operator[] = [];
  const random = createRandom(seed, 'workload');

  /** Runs until the time, the condition, or the first new failure. */
  const driveTo = async (end: number, condition: () => boolean = () => false): Promise<boolean> => {
    const failed = failures.length;
    let seen = -1;
    let second = -1;
    let met = false;
    await scheduler.drive((at) => {
      controllers.check();
      const now = Math.floor(scheduler.now / 1000);
      if (seen !== controllers.revision || second !== now) {
        seen = controllers.revision;
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
    controllers: controllers.all,
    cut: (ms, which) => controllers.cut(ms, which),
    machines,
    cloud: {
      instances: () =>
        [
          ...cloud.instances(),
          ...machines.flatMap((host) =>
            host.inside().map((instance) => ({ instance, modelUuid: host.model })),
          ),
        ].map(({ instance, modelUuid, ...rest }) => ({
          ...instance,
          modelUuid,
          ...('profiles' in rest && defined({ profiles: rest.profiles })),
          nonce: instance.tags[tagKeys.nonce] ?? '',
        })),
      volumes: () => cloud.volumes(),
      lateCalls: () => lateCalls,
      released: () => [...releasedVolumes(cloud).keys()],
      setQuota: (quota) => cloud.setQuota(quota),
      failStarts: (message) => void (outage = message),
      setZone(name, availability) {
        cloud.setZone(name, availability);
        if (availability === 'unavailable') zonesWereDown = true;
      },
      refuseCredential: (message) => cloud.refuseCredential(message),
      get zonesWereDown() {
        return zonesWereDown;
      },
      plant(modelUuid, machine) {
        const tags = {
          [tagKeys.model]: modelUuid,
          [tagKeys.controller]: controller.uuid,
          [tagKeys.machine]: machine,
          [tagKeys.nonce]: `machine-0:planted-${planted.length}`,
        };
        const stray: Omit<Planted, 'instance'> = {
          model: modelUuid,
          machine,
          at: scheduler.now,
          goneAt: undefined,
        };
        void cloud
          .plant({ modelUuid, controllerUuid: controller.uuid, tags })
          .then(({ id }) => planted.push({ ...stray, instance: id }));
      },
      planted,
    },
    vault,
    faults: { counts: faults.counts, calls: faults.calls, set: (some) => faults.set(some) },
    operator(script, user = 'admin') {
      const place = operators.length;
      const process = new SimProcess({ scheduler, name: `operator-${place}`, run: '', seed });
      const operator = new Operator({ user, process, network, faults, controllers, charms });
      operators.push(operator);
      process.after(0, 'script', () => {
        script(operator).catch((error: unknown) => fail(`operator ${place}`, error));
      });
      return process;
    },
    at: (ms, name, act) => void scheduler.after(ms - scheduler.now, 'world', name, act),
    calm() {
      faults.set(Object.fromEntries(faultKinds.map((kind) => [kind, 0])));
      for (const zone of zoneNames) cloud.setZone(zone, 'available');
      cloud.setQuota(0);
      cloud.refuseCredential(undefined);
      vault.heal();
      controllers.heal();
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
    onVolume: (listener) => void volumeListeners.push(listener),
    onInstance: (listener) => void instanceListeners.push(listener),
    onRestore: (listener) => void restoreListeners.push(listener),
    onInstanceEnd: (listener) => void endListeners.push(listener),
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
  void controllers.init().then(() => (made = true));
  await scheduler.drive(() => made);
  faults.set(rates);
  controllers.start();
  startChaos({
    scheduler,
    faults,
    controllers: controllers.all,
    machines,
    disconnectOperators() {
      for (const operator of operators) void operator.disconnect();
    },
  });
  return world;
}

/** Returns the name in a charm's URL: `local:web-3` → `web`. */
function charmName(url: string): string {
  return url.replace(/^local:/, '').replace(/-\d+$/, '');
}
