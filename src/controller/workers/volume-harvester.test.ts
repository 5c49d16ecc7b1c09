/** Tests of volumes whose storage is gone (storage.md#orphaned-volumes). */
import { expect, test } from 'vitest';
import { silentLog } from '../../kit/log.ts';
import { releasedVolumes, SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import type { VolumeSource } from '../../providers/contract/provider.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { provisionerOf } from '../../testing/provisioner.ts';
import { storageDoc } from '../../testing/storage-doc.ts';
import type { Services } from '../services.ts';
import { destroyModel } from '../transactions/end/destroy-model.ts';
import { Undertaker } from './undertaker.ts';
import { VolumeHarvester } from './volume-harvester.ts';

const { signal } = new AbortController();
const volume = { pool: 'simulated', provider: 'simulated', detachable: true } as const;
const minutesMs = 60_000;

/** A model with a sequence of storage, and its harvester. */
async function harvested(model: ModelFixture) {
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  const provisioner = provisionerOf(model, cloud);
  const { environ } = provisioner;
  const clock = new ManualClock(model.now());
  let lists = 0;
  const source: VolumeSource = {
    ...environ.storage!,
    list: (...args) => (lists++, environ.storage!.list(...args)),
  };
  const harvester = new VolumeHarvester({
    store: model.store,
    modelUuid: model.uuid,
    services: { clock, environ: () => ({ ...environ, storage: source }), log: silentLog },
    wake: () => undefined,
  });
  await model.change((tx) => tx.put('sequence', 'storage', { name: 'storage', next: 9 }));
  const make = (id: string): Promise<unknown> => {
    const params = { id: id.split('/')[1]!, size: 1, config: {}, tags: { 'juju-storage-instance': id } };
    return source.create(params, signal);
  };
  return {
    harvester,
    clock,
    source,
    make,
    services: {
      clock,
      environ: () => ({ ...environ, storage: source }),
      log: silentLog,
      logs: { remove: () => undefined },
    },
    released: () => [...releasedVolumes(cloud).keys()],
    lists: () => lists,
    volumes: () => cloud.volumes().map(({ id }) => id),
    [Symbol.asyncDispose]: () => provisioner[Symbol.asyncDispose](),
  };
}

async function removed(model: ModelFixture, id: string, ending: 'destroy' | 'release'): Promise<void> {
  await model.change((tx) => tx.put('storage', id, storageDoc(id, { ...volume, ending })));
  await model.change((tx) => tx.remove('storage', id));
}

test('volumes that were made after their storage was removed end as that did; others stay', async () => {
  await using model = await modelFixture();
  await using world = await harvested(model);
  await removed(model, 'data/1', 'destroy');
  await removed(model, 'data/2', 'release');
  await model.change((tx) => tx.put('storage', 'data/3', storageDoc('data/3', volume)));
  for (const id of ['data/1', 'data/2', 'data/3', 'data/7']) await world.make(id);
  await world.harvester.pass(signal);
  expect(world.volumes()).toEqual(['volume-3', 'volume-7']);
});

test('a volume of removed storage that a late call has attached, too, is detached and destroyed', async () => {
  await using model = await modelFixture();
  await using world = await harvested(model);
  await model.deploy('mysql');
  await eventually(() => expect(model.view().get('machine', '0')?.instance).toBeDefined());
  await removed(model, 'data/1', 'destroy');
  for (const id of ['data/1', 'data/7']) await world.make(id);
  const instanceId = model.view().get('machine', '0')!.instance!.id;
  for (const id of ['volume-1', 'volume-7'])
    await world.source.attach({ id, instanceId, path: '/x', readOnly: false }, signal);
  await world.harvester.pass(signal);
  // A volume that the history does not know stays where it is.
  expect(await world.source.list(signal)).toMatchObject([{ id: 'volume-7', attachedTo: [instanceId] }]);
});

test('a volume that was taken after its storage was released is released before its model goes', async () => {
  await using model = await modelFixture();
  await using world = await harvested(model);
  await removed(model, 'data/1', 'destroy');
  await removed(model, 'data/2', 'release');
  for (const id of ['data/1', 'data/2']) await world.make(id);
  await model.store.change((tx) => destroyModel(tx, { uuid: model.uuid }), 'test');
  // Services that the undertaker uses.
  const services = world.services as unknown as Services;
  await new Undertaker({
    store: model.store,
    modelUuid: model.uuid,
    services,
    mayCallsCome: () => false,
  }).pass(signal);
  expect(model.store.read().get('model', model.uuid)).toBeUndefined();
  expect(world.volumes()).toEqual([]);
  expect(world.released()).toEqual([`${model.uuid}-volume-2`]);
});

test('a cloud that does not say which volumes there are holds the end of a model for five minutes, not for good', async () => {
  await using model = await modelFixture();
  await using world = await harvested(model);
  await model.store.change((tx) => destroyModel(tx, { uuid: model.uuid }), 'test');
  const silent = Promise.withResolvers<never>();
  let asks = 0;
  const list: VolumeSource['list'] = (...args) =>
    ++asks === 1 ? silent.promise : world.source.list(...args);
  const environ = { ...world.services.environ(), storage: { ...world.source, list } };
  // Services that the undertaker uses.
  const services = { ...world.services, environ: () => environ } as unknown as Services;
  const undertaker = new Undertaker({
    store: model.store,
    modelUuid: model.uuid,
    services,
    mayCallsCome: () => false,
  });
  const first = undertaker.pass(signal);
  void first.catch(() => undefined);
  await eventually(() => expect(asks).toBe(1));
  world.clock.advance(5 * minutesMs);
  await expect(first).rejects.toThrow('the cloud has not answered for 5 minutes');
  await undertaker.pass(signal);
  expect(model.store.read().get('model', model.uuid)).toBeUndefined();
});

test('the cloud is asked every fifteen minutes, and never about a model that has had no storage', async () => {
  await using model = await modelFixture();
  await using world = await harvested(model);
  expect(await world.harvester.pass(signal)).toBe(15 * minutesMs);
  world.clock.advance(10 * minutesMs);
  expect(await world.harvester.pass(signal)).toBe(5 * minutesMs);
  expect(world.lists()).toBe(1);
  await removed(model, 'data/1', 'destroy');
  await world.make('data/1');
  world.clock.advance(5 * minutesMs);
  await world.harvester.pass(signal);
  expect(world.volumes()).toEqual([]);
  expect(world.lists()).toBe(2);
  await model.change((tx) => tx.remove('sequence', 'storage'));
  world.clock.advance(15 * minutesMs);
  await world.harvester.pass(signal);
  expect(world.lists()).toBe(2);
});

test('a clock that goes back does not put the next look off', async () => {
  await using model = await modelFixture();
  await using world = await harvested(model);
  await world.harvester.pass(signal);
  world.clock.advance(-60 * minutesMs);
  await world.harvester.pass(signal);
  expect(world.lists()).toBe(2);
});
