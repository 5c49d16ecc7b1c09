import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../kit/clock.ts';
import { ProviderError, tagKeys } from '../provider.ts';
import { createWorld, startParams, type World } from '../test-world.ts';
import { createSimulatedCloud, createSimulatedProvider } from './index.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end(createSimulatedProvider()));

const lost = new ProviderError('transient', 'connection reset');

test('an instance whose start lost its answer is found by its nonce, and not made again', async () => {
  const cloud = createSimulatedCloud();
  const environ = world.open(createSimulatedProvider(cloud));
  cloud.inject({ operation: 'start', when: 'after', error: lost });
  await expect(environ.instances.start(startParams(world, '0'), world.never)).rejects.toBe(lost);
  const [left] = await environ.instances.list(world.never);
  expect(left?.tags[tagKeys.nonce]).toBe('machine-0:nonce');
  const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
  expect(instance).toEqual(left);
});

test('a start that fails before the cloud did anything leaves nothing', async () => {
  const cloud = createSimulatedCloud();
  const environ = world.open(createSimulatedProvider(cloud));
  cloud.inject({ operation: 'start', when: 'before', error: lost });
  await expect(environ.instances.start(startParams(world, '0'), world.never)).rejects.toBe(lost);
  expect(await environ.instances.list(world.never)).toEqual([]);
});

test('the quota counts every model', async () => {
  const cloud = createSimulatedCloud({ quota: 2 });
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

test('instances spread over the zones that are available', async () => {
  const cloud = createSimulatedCloud({ zones: ['a', 'b', 'c'] });
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

test('a call takes the cloud’s time on the given clock, and a cancelled one leaves nothing', async () => {
  const slept: number[] = [];
  const abort = new AbortController();
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) => {
      slept.push(ms);
      // The second half of the call: the instance is there already.
      if (slept.length === 2) abort.abort(new Error('enough'));
      return signal?.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve();
    },
  };
  const cloud = createSimulatedCloud({ latencyMs: (operation) => (operation === 'start' ? 3000 : 0) });
  const environ = world.open(createSimulatedProvider(cloud), { clock });
  await expect(environ.instances.start(startParams(world, '0'), abort.signal)).rejects.toThrow('enough');
  expect(slept).toEqual([1500, 1500]);
  expect(cloud.instances()).toEqual([]);
});

test('agents can be attached to instances', async () => {
  const events: string[] = [];
  const cloud = createSimulatedCloud({
    onStart: ({ instance, params }) => void events.push(`start ${params.machineId} ${instance.id}`),
    onStop: (id) => void events.push(`stop ${id}`),
  });
  const environ = world.open(createSimulatedProvider(cloud));
  const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
  await environ.instances.start(startParams(world, '0'), world.never);
  await environ.instances.stop([instance.id, instance.id], world.never);
  expect(events).toEqual([`start 0 ${instance.id}`, `stop ${instance.id}`]);
});

test('a start fails as often as the configuration says', async () => {
  const numbers = [0.5, 0.29, 0.1, 0.31, 0.2];
  const cloud = createSimulatedCloud({ random: () => numbers.shift() ?? 0.9 });
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
