/** Tests of the volumes that the cloud is asked for, and of what holds them up (storage.md#storage-steps). */
import { expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { silentLog } from '../../kit/log.ts';
import { SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { provisionerOf } from '../../testing/provisioner.ts';
import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import type { Environ } from '../../providers/contract/provider.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { destroyStorage } from '../transactions/end/detach-storage.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { StorageWorker } from './storage-worker.ts';

const now = { maxWaitMs: 0, by: 'test' };
const volume = { pool: 'simulated', provider: 'simulated', detachable: true } as const;

/** The fixture's storage worker, which runs when it is told to. */
function workerOf(
  model: ModelFixture,
  environ: Environ,
): Disposable & {
  readonly clock: ManualClock;
  /** Runs passes until nothing is left to do at once; what it wants to wait for then, in milliseconds. */
  settle(): Promise<number | undefined>;
} {
  const clock = new ManualClock(model.now());
  const dispatch = createDispatch(model.store, indexes);
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
      let waitMs: number | undefined;
      do {
        isWoken = false;
        waitMs = await worker.pass(new AbortController().signal);
        // The dispatcher tells of a change a turn after it.
        await new Promise((resolve) => setImmediate(resolve));
      } while (isWoken);
      return waitMs;
    },
    [Symbol.dispose]() {
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
      destroyStorage(tx, { storage: 'data/0', detach: false, release: false, provider: undefined }),
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
  const waits: (number | undefined)[] = [];
  for (let n = 0; n < 6; n++) {
    const waitMs = await worker.settle();
    waits.push(waitMs);
    worker.clock.advance(waitMs ?? 0);
  }
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  expect(model.view().get('storage', 'data/0')).toMatchObject({ problem: 'no room' });
});
