/** Machine agent in the simulation: storage of its units after the controller was restored from an older backup. */
import { afterEach, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import { bench, restoredAs, stopBenches, type Bench } from '../../testing/machine-bench.ts';
import type { SimulatedCharm } from '../../testing/simulated-hooks.ts';

afterEach(stopBenches);

test.each(['keep', 'rerun'] as const)(
  'a unit runs no hook after a restore until the storage that the backup has mounted is mounted again: %s',
  async (state) => {
    const b = bench();
    const mount = Promise.withResolvers<{ path: string }>();
    const nothing = (): Promise<void> => Promise.resolve();
    b.storage = {
      make: () => Promise.resolve(1),
      mount: () => mount.promise,
      unmount: nothing,
      destroy: nothing,
      mounted: () => Promise.resolve([]),
      forget: nothing,
    };
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    const before = b.hooks('web/0').length;
    b.controller.storages.set('data/0', mounted);
    b.controller.setConfig('web', { port: 80 });
    restoredAs(b, state);
    let seconds = 0;
    await b.advanceUntil(() => ++seconds > 50);
    const meanwhile = b.hooks('web/0').slice(before);
    mount.resolve({ path: '/data' });
    expect(meanwhile).toEqual([]);
    await b.advanceUntil(() => b.hooks('web/0').length > before);
  },
);

const mounted: StorageRecord = {
  id: 'data/0',
  name: 'data',
  type: 'filesystem',
  ending: false,
  unit: 'web/0',
  attachmentLife: 'alive',
  provider: 'rootfs',
  attributes: {},
  size: 1,
  number: '0',
  detachable: false,
  ready: true,
  mounted: '/data',
  location: '/data',
  readOnly: false,
};

/** A machine whose unit web/0 uses the storage data/0; the mounts fail while `broken` is set. */
async function withStorage(charm?: SimulatedCharm): Promise<{ b: Bench; steps: string[]; broken: boolean }> {
  const b = bench(charm);
  const all = { b, steps: [] as string[], broken: false };
  const nothing = (): Promise<void> => Promise.resolve();
  b.storage = {
    make: () => Promise.resolve(1),
    mount: () =>
      all.broken ? Promise.reject(new Error('the disk is broken')) : Promise.resolve({ path: '/data' }),
    unmount: () => {
      all.steps.push('unmount');
      return Promise.resolve();
    },
    destroy: nothing,
    mounted: () => Promise.resolve([]),
    forget: nothing,
  };
  b.controller.addApplication('web');
  b.controller.addUnit('web');
  b.controller.storages.set('data/0', mounted);
  b.start();
  await b.advanceUntil(() => b.hooks('web/0').includes('data-storage-attached'));
  await b.idle('web/0');
  return all;
}

test('a hook that was chosen before a restore is not run after it until storage whose mount cannot be made again is mounted', async () => {
  const all = await withStorage();
  const { b } = all;
  let [isHeld, tries] = [false, 0];
  b.controller.onCall = (method) => {
    if (method !== 'SaveState' || !isHeld) return;
    tries++;
    throw new JujuError('try again', 'the model was restored from a backup, and waits for an operator');
  };
  isHeld = true;
  b.controller.setConfig('web', { port: 80 });
  await b.advanceUntil(() => tries > 0);
  restoredAs(b, 'held');
  const [before, told] = [b.hooks('web/0').length, b.controller.statuses.length];
  all.broken = true;
  isHeld = false;
  restoredAs(b, 'keep');
  await b.advanceUntil(() => b.controller.storages.get('data/0')?.mounted === undefined);
  let seconds = 0;
  await b.advanceUntil(() => ++seconds > 20);
  expect(b.hooks('web/0').slice(before)).toEqual([]);
  all.broken = false;
  await b.advanceUntil(() => b.hooks('web/0').length > before);
  expect(b.controller.storages.get('data/0')?.mounted).toBe('/data');
  expect(b.hooks('web/0').slice(before)).toEqual(['config-changed']);
  expect(b.controller.statuses.slice(told).filter((text) => text.includes('error'))).toEqual([]);
});

test('storage whose mount cannot be made again after a restore is unmounted when the hook that still runs has ended', async () => {
  const hook = Promise.withResolvers<void>();
  let isSlow = false;
  const all = await withStorage(() => (isSlow ? hook.promise : undefined));
  const { b, steps } = all;
  isSlow = true;
  b.controller.setConfig('web', { port: 80 });
  await b.advanceUntil(() => b.agentStatus('web/0')?.startsWith('executing') === true);
  restoredAs(b, 'held');
  let seconds = 0;
  await b.advanceUntil(() => ++seconds > 5);
  all.broken = true;
  restoredAs(b, 'keep');
  await b.advanceUntil(() => ++seconds > 60);
  expect(steps).toEqual([]);
  hook.resolve();
  await b.advanceUntil(() => steps.length > 0);
});
