/** Tests of the volumes that the cloud is asked for, and of what delays them (storage.md#storage-steps). */
import { expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { silentLog } from '../../kit/log.ts';
import { SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { provisionerOf } from '../../testing/provisioner.ts';
import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import type { Environ, VolumeSource } from '../../providers/contract/provider.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { destroyStorage } from '../transactions/end/detach-storage.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { StorageWorker } from './storage-worker.ts';

/** Number of turns of the event loop without a wake, after which no answer of the simulated cloud is outstanding. */
const quietTurns = 50;
const now = { maxWaitMs: 0, by: 'test' };
const volume = { pool: 'simulated', provider: 'simulated', detachable: true } as const;

/** The fixture's storage worker, which runs when it is told to. */
function workerOf(
  model: ModelFixture,
  environ: Environ,
): Disposable & {
  readonly clock: ManualClock;
  /** Runs passes, with the steps that they begin, until nothing is left to do at once. */
  settle(): Promise<void>;
} {
  const clock = new ManualClock(model.now());
  const dispatch = createDispatch(model.store, indexes);
  const stop = new AbortController();
  const { signal } = stop;
  let isWoken = true;
  const worker = new StorageWorker({
    store: model.store,
    modelUuid: model.uuid,
    services: { clock, dispatch, environ: () => environ, log: silentLog, random: () => 0.5 },
    wake: () => void (isWoken = true),
  });
  return {
    clock,
    async settle() {
      for (let quiet = 0; quiet < quietTurns; quiet++) {
        if (isWoken) quiet = 0;
        isWoken = false;
        await worker.pass(signal);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    [Symbol.dispose]() {
      stop.abort();
      worker.stop();
      dispatch.stop();
    },
  };
}

/** mysql/0 on machine 0, whose instance runs in the cloud, with storage data/0. */
async function deployed(model: ModelFixture): Promise<void> {
  await model.deploy('mysql');
  await eventually(() => expect(model.view().get('machine', '0')?.instance).toBeDefined());
  await model.change((tx) =>
    tx.put('storage', 'data/0', storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), machine: '0' })),
  );
}

test.each(['none', 'unknown', 'destroyed', 'all'] as const)(
  'harvest mode %s: a volume is let go by the instance of a machine that was removed by force',
  async (mode) => {
    await using model = await modelFixture();
    await model.change((tx) => {
      const root = tx.in('');
      const doc = root.get('model', model.uuid)!;
      root.put('model', model.uuid, { ...doc, config: { 'provisioner-harvest-mode': mode } });
    });
    const cloud = new SimulatedCloud({ latencyMs: 0 });
    await using provisioner = provisionerOf(model, cloud);
    await deployed(model);
    using worker = workerOf(model, provisioner.environ);
    await worker.settle();
    expect(model.view().get('storage', 'data/0')).toMatchObject({ attached: true });

    await model.change((tx) => destroyMachine(tx, { machine: '0', keepInstance: false, force: now }));
    await eventually(() => expect(model.view().get('machine', '0')).toBeUndefined());
    await worker.settle();
    expect(model.view().get('storage', 'data/0')).not.toHaveProperty('instance');

    await model.change((tx) =>
      destroyStorage(tx, {
        storage: 'data/0',
        detach: false,
        force: false,
        release: false,
        provider: undefined,
      }),
    );
    await worker.settle();
    expect(model.view().get('storage', 'data/0')).toBeUndefined();
    expect(cloud.volumes()).toEqual([]);
  },
);

test('a failing step is tried again after half a minute, doubling to five minutes', async () => {
  await using model = await modelFixture();
  await using provisioner = provisionerOf(model, new SimulatedCloud({ latencyMs: 0 }));
  await deployed(model);
  const { environ } = provisioner;
  const create = (): Promise<never> => Promise.reject(new Error('no room'));
  using worker = workerOf(model, { ...environ, storage: { ...environ.storage!, create } });
  const waits: number[] = [];
  for (let n = 1; n <= 6; n++) {
    await worker.settle();
    const { problem, retry } = model.view().get('storage', 'data/0')!;
    expect({ problem, attempt: retry?.attempt }).toEqual({ problem: 'no room', attempt: n });
    waits.push(Date.parse(retry!.at) - worker.clock.now());
    worker.clock.advance(waits.at(-1)!);
  }
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});

test('a volume that a call of an earlier controller has attached elsewhere is detached there, and attached where it belongs', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using provisioner = provisionerOf(model, cloud);
  await deployed(model);
  await model.deploy('wordpress');
  await eventually(() => expect(model.view().get('machine', '1')?.instance).toBeDefined());
  const source = provisioner.environ.storage!;
  const { signal } = new AbortController();
  const tags = { 'juju-storage-instance': 'data/0' };
  const { id } = await source.create({ id: '0', size: 1, config: {}, tags }, signal);
  const instanceId = model.view().get('machine', '1')!.instance!.id;
  await source.attach({ id, instanceId, path: '/x/0', readOnly: false }, signal);
  using worker = workerOf(model, provisioner.environ);
  await worker.settle();
  expect(model.view().get('storage', 'data/0')?.problem).toContain(`is attached to instance "${instanceId}"`);
  worker.clock.advance(30_000);
  await worker.settle();
  expect(model.view().get('storage', 'data/0')).toMatchObject({ attached: true });
});

test('another step does not wait for the next attempt of the failed step', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using provisioner = provisionerOf(model, cloud);
  await deployed(model);
  const { environ } = provisioner;
  const attach = (): Promise<never> => Promise.reject(new Error('no such bus'));
  using worker = workerOf(model, { ...environ, storage: { ...environ.storage!, attach } });
  await worker.settle();
  expect(model.view().get('storage', 'data/0')?.retry).toMatchObject({ attempt: 1 });
  await model.change((tx) =>
    destroyStorage(tx, { storage: 'data/0', detach: true, force: true, release: false, provider: undefined }),
  );
  await worker.settle();
  expect(model.view().get('storage', 'data/0')).toBeUndefined();
  expect(cloud.volumes()).toEqual([]);
});

test('storage whose volume is gone, as after a restore, tells that, and is given up by force', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using provisioner = provisionerOf(model, cloud);
  await deployed(model);
  const made = { providerId: 'volume-of-the-backup', size: 1 };
  await model.change((tx) =>
    tx.put('storage', 'data/0', storageDoc('data/0', { ...tx.get('storage', 'data/0')!, made })),
  );
  using worker = workerOf(model, provisioner.environ);
  await worker.settle();
  expect(model.view().get('storage', 'data/0')?.problem).toBe('volume "volume-of-the-backup" not found');
  await model.change((tx) =>
    destroyStorage(tx, { storage: 'data/0', detach: true, force: true, release: false, provider: undefined }),
  );
  await worker.settle();
  expect(model.view().get('storage', 'data/0')).toBeUndefined();
});

/** The source's `create` for data/0 answers when `answer` says so; its signal does not interrupt it. */
function silent(source: VolumeSource): { source: VolumeSource; answer: () => void; asked: () => number } {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const { signal: never } = new AbortController();
  const create: VolumeSource['create'] = async (params) => {
    asked++;
    await gate.promise;
    return source.create(params, never);
  };
  return { source: { ...source, create }, answer: gate.resolve, asked: () => asked };
}

test('a step whose call the cloud does not answer is tried again, and a late answer makes no second volume', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using provisioner = provisionerOf(model, cloud);
  await deployed(model);
  const { environ } = provisioner;
  const { source, answer, asked } = silent(environ.storage!);
  using worker = workerOf(model, { ...environ, storage: source });
  await worker.settle();
  worker.clock.advance(5 * 60_000);
  await worker.settle();
  expect(model.view().get('storage', 'data/0')).toMatchObject({
    problem: 'the cloud has not answered for 5 minutes',
    retry: { attempt: 1 },
  });
  worker.clock.advance(30_000);
  await worker.settle();
  expect(asked()).toBe(2);
  answer();
  await worker.settle();
  expect(model.view().get('storage', 'data/0')).toMatchObject({ attached: true });
  expect(cloud.volumes()).toHaveLength(1);
});

test('storage whose volume the cloud may still make is removed with the volume when the call has ended', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using provisioner = provisionerOf(model, cloud);
  await deployed(model);
  const { environ } = provisioner;
  const { source, answer } = silent(environ.storage!);
  using worker = workerOf(model, { ...environ, storage: source });
  await worker.settle();
  await model.change((tx) =>
    destroyStorage(tx, { storage: 'data/0', detach: true, force: true, release: false, provider: undefined }),
  );
  worker.clock.advance(5 * 60_000);
  await worker.settle();
  expect(model.view().get('storage', 'data/0')).toBeDefined();
  answer();
  await worker.settle();
  expect(model.view().get('storage', 'data/0')).toBeUndefined();
  expect(cloud.volumes()).toEqual([]);
});

test('a call that hangs delays no other volume, and no more steps than allowed are under way', async () => {
  await using model = await modelFixture();
  await using provisioner = provisionerOf(model, new SimulatedCloud({ latencyMs: 0 }));
  await deployed(model);
  await model.change((tx) => {
    for (let n = 1; n <= 40; n++) {
      const of = { ...volume, ...attachedTo('mysql/0'), machine: '0' };
      tx.put('storage', `data/${n}`, storageDoc(`data/${n}`, of));
    }
  });
  const { environ } = provisioner;
  const source = environ.storage!;
  let under = 0;
  let most = 0;
  const create: VolumeSource['create'] = async (params, signal) => {
    most = Math.max(most, ++under);
    try {
      if (params.id === '0') await new Promise<never>(() => undefined);
      return await source.create(params, signal);
    } finally {
      under--;
    }
  };
  using worker = workerOf(model, { ...environ, storage: { ...source, create } });
  await worker.settle();
  const made = [...model.view().list('storage')].filter(({ attached }) => attached).map(({ id }) => id);
  expect(made).toHaveLength(40);
  expect(made).not.toContain('data/0');
  expect(most).toBe(16);
});
