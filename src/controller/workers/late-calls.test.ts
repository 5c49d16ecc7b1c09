/** Tests of what the cloud makes after its model was removed (storage.md#late-calls-for-removed-models). */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { limits } from '../../core/limits.ts';
import { createLog } from '../../kit/log.ts';
import {
  createSimulatedProvider,
  releasedVolumes,
  SimulatedCloud,
} from '../../providers/clouds/simulated/index.ts';
import { tagKeys } from '../../providers/contract/provider.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { storageDoc } from '../../testing/storage-doc.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { destroyModel } from '../transactions/end/destroy-model.ts';
import { LateCalls } from './late-calls.ts';
import { Undertaker } from './undertaker.ts';

const { signal } = new AbortController();
const minuteMs = 60_000;
const volume = { pool: 'simulated', provider: 'simulated', detachable: true } as const;

/** A model with two storages that were removed, which an undertaker has removed, and its cloud. */
async function removedModel(model: ModelFixture, mayCallsCome = true) {
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  const clock = new ManualClock(model.now());
  const lines: string[] = [];
  const log = createLog(
    'test',
    ({ level, message }) => void lines.push(`${level} ${message}`),
    () => clock.now(),
  );
  const controllerUuid = randomUUID();
  const environ = createSimulatedProvider(cloud).open({
    cloud: { name: 'sim', type: 'simulated', region: '', endpoint: '', config: {} },
    config: {},
    controllerUuid,
    modelUuid: model.uuid,
    modelName: 'default',
    stateDir: '',
    clock,
    log,
  });
  for (const [id, ending] of [
    ['data/1', 'destroy'],
    ['data/2', 'release'],
  ] as const) {
    await model.change((tx) => tx.put('storage', id, storageDoc(id, { ...volume, ending })));
    await model.change((tx) => tx.remove('storage', id));
  }
  await model.store.change((tx) => destroyModel(tx, { uuid: model.uuid }), 'test');
  const services = {
    clock,
    log,
    logs: { remove: () => undefined },
    dispatch: createDispatch(model.store, indexes),
    environ: () => environ,
  };
  const needs = { store: model.store, services, modelUuid: model.uuid, wake: () => undefined };
  const remove = (): Promise<void> =>
    new Undertaker({ ...needs, services: services as never, mayCallsCome: () => mayCallsCome }).pass(signal);
  return {
    clock,
    log: () => lines.join('\n'),
    remove,
    known: () => [...model.store.read().list('removed-model')].map(({ uuid }) => uuid),
    /** Returns a worker that has begun, as after a start of the controller. */
    async begin(until: AbortSignal = signal): Promise<LateCalls> {
      const worker = new LateCalls(needs);
      await worker.pass(until);
      return worker;
    },
    makeVolume: (id: string) =>
      environ.storage!.create(
        { id: id.split('/')[1]!, size: 1, config: {}, tags: { 'juju-storage-instance': id } },
        signal,
      ),
    makeInstance: () =>
      cloud.plant({
        modelUuid: model.uuid,
        controllerUuid,
        tags: { [tagKeys.model]: model.uuid, [tagKeys.machine]: '0' },
      }),
    volumes: () => cloud.volumes().map(({ id }) => id),
    instances: () => cloud.instances().length,
    released: () => [...releasedVolumes(cloud).keys()],
    refuse: (message: string | undefined) => cloud.refuseCredential(message),
    /** Lets a look come, and end. */
    async look(): Promise<void> {
      clock.advance(5 * minuteMs);
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('what comes for a removed model ends as its storage did, and the rest with the model', async () => {
  await using model = await modelFixture();
  const world = await removedModel(model);
  await world.remove();
  expect(model.store.read().get('model', model.uuid)).toBeUndefined();
  expect(world.known()).toEqual([model.uuid]);
  await world.begin();
  await world.makeVolume('data/1');
  await world.makeVolume('data/2');
  await world.look();
  expect([world.volumes(), world.released()]).toEqual([[], [`${model.uuid}-volume-2`]]);
  // The history does not know this one.
  await world.makeVolume('data/7');
  await world.makeInstance();
  await world.look();
  expect([world.volumes(), world.instances()]).toEqual([[], 0]);
  expect(world.log()).toContain('WARNING ending what the cloud has made for a removed model');
  await world.look();
  expect(world.known()).toEqual([model.uuid]);
  await world.look();
  await eventually(() => expect(world.known()).toEqual([]));
});

test('a removed model for which no call can come is not looked for', async () => {
  await using model = await modelFixture();
  const world = await removedModel(model, false);
  await world.remove();
  expect(model.store.read().get('model', model.uuid)).toBeUndefined();
  expect(world.known()).toEqual([]);
});

test('a look that the cloud refuses does not count; after a day the controller gives up, and says so', async () => {
  await using model = await modelFixture();
  const world = await removedModel(model);
  await world.remove();
  await world.begin();
  await world.look();
  world.refuse('the token has expired');
  for (let n = 0; n < 5; n++) await world.look();
  world.refuse(undefined);
  await world.makeVolume('data/1');
  for (let n = 0; n < 2; n++) await world.look();
  expect(world.volumes()).toEqual([]);
  expect(world.known()).toEqual([model.uuid]);
  world.refuse('the token has expired');
  expect(world.log()).not.toContain('ERROR');
  world.clock.advance(24 * 60 * minuteMs);
  await eventually(() => expect(world.known()).toEqual([]));
  expect(world.log()).toContain('ERROR the cloud may have instances and volumes of a removed model');
});

test('a controller that starts looks for as long as the one before it, which was killed', async () => {
  await using model = await modelFixture();
  const world = await removedModel(model);
  await world.remove();
  const killed = new AbortController();
  await world.begin(killed.signal);
  for (let n = 0; n < 3; n++) await world.look();
  killed.abort(new Error('killed'));
  await world.begin();
  for (let n = 0; n < 3; n++) await world.look();
  await world.makeVolume('data/1');
  await world.look();
  expect(world.volumes()).toEqual([]);
  await eventually(() => expect(world.known()).toEqual([]));
});

test('a model that is there again is left to its own workers', async () => {
  await using model = await modelFixture();
  const doc = model.store.read().get('model', model.uuid)!;
  const world = await removedModel(model);
  await world.remove();
  await model.store.change((tx) => tx.in('').put('model', model.uuid, doc), 'test');
  await world.begin();
  await world.makeVolume('data/1');
  await world.makeInstance();
  for (let n = 0; n < 4; n++) await world.look();
  expect([world.volumes(), world.instances()]).toEqual([['volume-1'], 1]);
  await eventually(() => expect(world.known()).toEqual([]));
});

test('a model is removed also when as many others as may be are looked for', async () => {
  await using model = await modelFixture();
  const world = await removedModel(model);
  await model.store.change((tx) => {
    for (let n = 0; n < limits.removedModels.max; n++)
      tx.in('').put('removed-model', `uuid-${n}`, {
        uuid: `uuid-${n}`,
        name: 'other',
        cloud: 'sim',
        region: '',
        credential: '',
        config: {},
        since: '2026-01-01T00:00:00Z',
      });
  }, 'test');
  await world.remove();
  expect(model.store.read().get('model', model.uuid)).toBeUndefined();
  expect(world.known()).not.toContain(model.uuid);
  expect(world.log()).toContain(
    'WARNING too many removed models are looked for in their clouds: this one is not',
  );
});
