import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../../kit/clock.ts';
import { ProviderError, tagKeys } from '../../contract/provider.ts';
import { createWorld, startParams, type World } from '../../../testing/provider-world.ts';
import { SimulatedCloud, createSimulatedProvider } from './index.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end(createSimulatedProvider()));

const lost = new ProviderError('transient', 'connection reset');

test('An instance whose start lost its answer is found by its nonce, and not created again', async () => {
  const cloud = new SimulatedCloud();
  const environ = world.open(createSimulatedProvider(cloud));
  cloud.inject({ operation: 'start', when: 'after', error: lost });
  await expect(environ.instances.start(startParams(world, '0'), world.never)).rejects.toBe(lost);
  const [left] = await environ.instances.list(world.never);
  expect(left?.tags[tagKeys.nonce]).toBe('machine-0:nonce');
  const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
  expect(instance).toEqual(left);
});

test('A start that fails before the cloud acted leaves nothing', async () => {
  const cloud = new SimulatedCloud();
  const environ = world.open(createSimulatedProvider(cloud));
  cloud.inject({ operation: 'start', when: 'before', error: lost });
  await expect(environ.instances.start(startParams(world, '0'), world.never)).rejects.toBe(lost);
  expect(await environ.instances.list(world.never)).toEqual([]);
});

test('The quota counts instances of every model', async () => {
  const cloud = new SimulatedCloud({ quota: 2 });
  const provider = createSimulatedProvider(cloud);
  const [one, two] = [world.open(provider), world.open(provider)];
  await one.instances.start(startParams(world, '0'), world.never);
  await two.instances.start(startParams(world, '0'), world.never);
  await expect(one.instances.start(startParams(world, '1'), world.never)).rejects.toMatchObject({
    class: 'quota',
  });
  cloud.setQuota(3);
  await one.instances.start(startParams(world, '1'), world.never);
});

test('Instances are spread over the available zones', async () => {
  const cloud = new SimulatedCloud({ zones: ['a', 'b', 'c'] });
  const environ = world.open(createSimulatedProvider(cloud));
  cloud.setZone('b', 'unavailable');
  const zones: string[] = [];
  for (const id of ['0', '1', '2', '3']) {
    const { instance, hardware } = await environ.instances.start(startParams(world, id), world.never);
    zones.push(instance.zone ?? '');
    expect(hardware.availabilityZone).toBe(instance.zone);
  }
  expect(zones.toSorted()).toEqual(['a', 'a', 'c', 'c']);
  expect(await environ.zones?.list(world.never)).toContainEqual({ name: 'b', available: false });
  const into = (zone: string) => environ.instances.start(startParams(world, '9', { zone }), world.never);
  await expect(into('b')).rejects.toMatchObject({ class: 'zonal' });
  await expect(into('z')).rejects.toMatchObject({ class: 'bad request' });
  const placed = await environ.instances.start(startParams(world, '8', { placement: 'zone=c' }), world.never);
  expect(placed.instance.zone).toBe('c');
});

test('A call takes the cloud’s latency on the given clock, and a cancelled one leaves nothing', async () => {
  const slept: number[] = [];
  const abort = new AbortController();
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) => {
      slept.push(ms);
      // The instance exists already in the second half of the call.
      if (slept.length === 2) abort.abort(new Error('enough'));
      return signal?.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve();
    },
  };
  const cloud = new SimulatedCloud({ latencyMs: (operation) => (operation === 'start' ? 3000 : 0) });
  const environ = world.open(createSimulatedProvider(cloud), { clock });
  await expect(environ.instances.start(startParams(world, '0'), abort.signal)).rejects.toThrow('enough');
  expect(slept).toEqual([1500, 1500]);
  expect(cloud.instances()).toEqual([]);
});

test('A group is one request, with a separate outcome for each machine', async () => {
  const slept: number[] = [];
  const clock: Clock = { now: () => 0, sleep: (ms) => (slept.push(ms), Promise.resolve()) };
  const cloud = new SimulatedCloud({
    quota: 4,
    latencyMs: 1000,
    refuses: ({ constraints }) =>
      constraints['instance-type'] === 'large' ? 'no large ones here' : undefined,
  });
  const environ = world.open(createSimulatedProvider(cloud), { clock });
  const params = [
    startParams(world, '0'),
    startParams(world, '1', { constraints: { 'instance-type': 'large' } }),
    startParams(world, '2', { zone: 'zone2' }),
    startParams(world, '3', { zone: 'zone9' }),
    startParams(world, '4'),
    startParams(world, '5'),
    startParams(world, '6'),
  ];
  cloud.setZone('zone2', 'unavailable');
  const group = await environ.startGroup!.start(params, world.never);
  expect(slept).toEqual([500, 500]);
  expect(
    group.map((one) => (one instanceof ProviderError ? `${one.class}: ${one.message}` : 'started')),
  ).toEqual([
    'started',
    'bad request: no large ones here',
    'zonal: zone zone2 is unavailable',
    'bad request: availability zone "zone9" not valid',
    'started',
    'started',
    'started',
  ]);
  const [over] = await environ.startGroup!.start([startParams(world, '7')], world.never);
  expect(over).toMatchObject({ class: 'quota' });
  // The repeated group includes one with a lost answer: existing instances are found instead of created twice.
  cloud.setQuota(0);
  cloud.inject({ operation: 'start', when: 'after', error: lost });
  cloud.inject({ operation: 'start group', when: 'after', error: lost });
  const again = [startParams(world, '7'), startParams(world, '0')];
  await expect(environ.startGroup!.start(again, world.never)).rejects.toBe(lost);
  cloud.inject({ operation: 'start', when: 'after', error: lost });
  const [first, second] = await environ.startGroup!.start(again, world.never);
  expect(first).toBe(lost);
  expect(second).toMatchObject({ instance: { tags: { [tagKeys.machine]: '0' } } });
  expect(await environ.instances.list(world.never)).toHaveLength(5);
  expect(() =>
    environ.startGroup!.start(
      Array.from({ length: 11 }, () => params[0]!),
      world.never,
    ),
  ).toThrow('11');
});

test('A refused credential fails every call until it is repaired', async () => {
  const cloud = new SimulatedCloud();
  const environ = world.open(createSimulatedProvider(cloud));
  cloud.refuseCredential('token expired');
  const { never } = world;
  for (const call of [
    environ.instances.start(startParams(world, '0'), never),
    environ.startGroup!.start([startParams(world, '0')], never),
    environ.instances.list(never),
    environ.instances.get(['i-1'], never),
    environ.instances.stop(['i-1'], never),
    environ.zones!.list(never),
    environ.containers!.takeAddress!('0/lxd/0', never),
  ])
    await expect(call).rejects.toMatchObject({ class: 'credential', message: 'token expired' });
  cloud.refuseCredential(undefined);
  await environ.instances.start(startParams(world, '0'), never);
});

test('Instances can vanish, stop, be started again, and appear', async () => {
  const events: string[] = [];
  const cloud = new SimulatedCloud({ onRestart: (id) => void events.push(`again ${id}`) });
  const environ = world.open(createSimulatedProvider(cloud));
  const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
  expect(await cloud.halt(instance.id)).toBe(true);
  expect(await environ.instances.list(world.never)).toMatchObject([{ id: instance.id, status: 'stopped' }]);
  expect((await environ.instances.start(startParams(world, '0'), world.never)).instance).toEqual(instance);
  expect(events).toEqual([`again ${instance.id}`]);
  expect(await cloud.vanish(instance.id)).toBe(true);
  expect(await environ.instances.get([instance.id], world.never)).toEqual([undefined]);
  expect(await cloud.vanish(instance.id)).toBe(false);
  const { stateDir, controllerUuid } = world;
  const tags = { [tagKeys.model]: environ.modelUuid };
  const stray = await cloud.plant({ stateDir, controllerUuid, modelUuid: environ.modelUuid, tags });
  expect(await environ.instances.list(world.never)).toEqual([stray]);
});

test('A request larger than the largest instance is a bad request', async () => {
  const environ = world.open(createSimulatedProvider(), { config: { 'mem-max': 4096 } });
  const start = (mem: number) =>
    environ.instances.start(startParams(world, String(mem), { constraints: { mem } }), world.never);
  await expect(start(8192)).rejects.toMatchObject({
    class: 'bad request',
    message: 'no instance type has 8192 MiB of memory, at most 4096',
  });
  expect((await start(4096)).hardware.mem).toBe(4096);
});

test('Agents can be attached to instances', async () => {
  const events: string[] = [];
  const cloud = new SimulatedCloud({
    onStart: ({ instance, params }) => void events.push(`start ${params.machineId} ${instance.id}`),
    onStop: (id) => void events.push(`stop ${id}`),
  });
  const environ = world.open(createSimulatedProvider(cloud));
  const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
  await environ.instances.start(startParams(world, '0'), world.never);
  await environ.instances.stop([instance.id, instance.id], world.never);
  expect(events).toEqual([`start 0 ${instance.id}`, `stop ${instance.id}`]);
});

test('The failure rate of starts follows the configuration', async () => {
  const numbers = [0.5, 0.29, 0.1, 0.31, 0.2];
  const cloud = new SimulatedCloud({ random: () => numbers.shift() ?? 0.9 });
  const environ = world.open(createSimulatedProvider(cloud), { config: { 'start-failure-percent': 30 } });
  const outcomes: string[] = [];
  for (const id of ['0', '1', '2']) {
    const start = environ.instances.start(startParams(world, id), world.never);
    outcomes.push(
      await start.then(
        () => 'started',
        (error: ProviderError) => error.class,
      ),
    );
  }
  expect(outcomes).toEqual(['started', 'transient', 'started']);
});
