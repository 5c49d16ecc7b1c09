/** Tests of the agent's steps: side by side, and after a reboot that has moved storage (storage.md#storage-steps). */
import { expect, test } from 'vitest';
import { silentLog } from '../../kit/log.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import { MachineLock } from '../machine-lock.ts';
import { StorageWorker, type StorageHost } from './storage-worker.ts';
import type { MachineWorld } from './world.ts';

const nothing = (): Promise<void> => Promise.resolve();

/** Creates an agent that starts on a machine with the disk, which `host.mount` shows. */
function agentWith(
  record: StorageRecord,
  mount: StorageHost['mount'],
  others: readonly StorageRecord[] = [],
) {
  const records = new Map([record, ...others].map((one) => [one.id, one]));
  const calls: [method: string, params: object][] = [];
  const clock = new ManualClock(0);
  const model: { restored?: { id: string; state: 'held' | 'keep' | 'rerun' } } = {};
  const host: StorageHost = {
    make: () => Promise.resolve(record.size),
    mount,
    unmount: nothing,
    destroy: nothing,
    mounted: () => Promise.resolve([record.id]),
    forget: nothing,
  };
  const world = {
    mirror: {
      complete: true,
      model: () => model,
      storage: (id: string) => records.get(id),
      storages: () => [...records.values()],
    },
    api: {
      call: (method: string, params: object) => Promise.resolve(void calls.push([method, params])),
    },
    clock,
    random: () => 0.5,
    lock: new MachineLock(),
    log: silentLog,
  } as unknown as MachineWorld;
  let changes = 0;
  const worker = new StorageWorker(world, host, () => changes++);
  /** Runs passes until no step ends any more. */
  const passes = async (): Promise<void> => {
    for (let before = -1; before < changes;) {
      before = changes;
      await worker.pass(signal);
      for (let n = 0; n < 20; n++) await Promise.resolve();
    }
  };
  return { worker, host, records, calls, passes, clock, model };
}

const disk: StorageRecord = {
  id: 'disk/0',
  name: 'disk',
  type: 'block',
  ending: false,
  unit: 'db/0',
  attachmentLife: 'alive',
  provider: 'loop',
  attributes: {},
  size: 64,
  number: '0/0',
  volume: '0/0',
  detachable: false,
  ready: true,
  mounted: '/dev/loop0',
  device: 'loop0',
  location: '',
  readOnly: false,
};
const { signal } = new AbortController();

test('hooks wait until the record of their storage has its present path and device', async () => {
  const { worker, records, calls, passes } = agentWith(disk, () =>
    Promise.resolve({ path: '/dev/loop1', device: 'loop1' }),
  );
  await passes();
  expect(calls).toEqual([['StorageMounted', { storage: 'disk/0', path: '/dev/loop1', device: 'loop1' }]]);
  expect(worker.isReadyFor('db/0')).toBe(false);
  records.set('disk/0', { ...disk, mounted: '/dev/loop1', device: 'loop1' });
  await passes();
  expect(worker.isReadyFor('db/0')).toBe(true);
  expect(calls).toHaveLength(1);
});

test('hooks wait until the record of their lost storage has no path', async () => {
  const { worker, records, calls, passes } = agentWith(disk, () => Promise.reject(new Error('no device')));
  await passes();
  expect(calls.map(([method]) => method)).toEqual(['StorageUnmounted', 'StorageFailed']);
  expect(worker.isReadyFor('db/0')).toBe(false);
  const { mounted: _, device: _device, ...away } = disk;
  records.set('disk/0', away);
  await passes();
  expect(worker.isReadyFor('db/0')).toBe(true);
});

test('storage that is mounted where it was is not reported again', async () => {
  const { worker, calls, passes } = agentWith(disk, () =>
    Promise.resolve({ path: '/dev/loop0', device: 'loop0' }),
  );
  await passes();
  expect(worker.isReadyFor('db/0')).toBe(true);
  expect(calls).toEqual([]);
});

test('a mount that cannot be made again is ended before the controller is told that it has none', async () => {
  const { worker, host, calls, passes, clock } = agentWith(disk, () =>
    Promise.reject(new Error('no device')),
  );
  let isBusy = true;
  const unmounts: string[] = [];
  host.unmount = async ({ id }) => {
    unmounts.push(id);
    if (isBusy) throw new Error('target is busy');
  };
  await passes();
  expect(calls).toMatchObject([['StorageFailed', { storage: 'disk/0', message: 'target is busy' }]]);
  expect([unmounts, worker.isReadyFor('db/0')]).toEqual([['disk/0'], false]);
  isBusy = false;
  clock.advance(60_000);
  await passes();
  expect(unmounts).toEqual(['disk/0', 'disk/0']);
  expect(calls.slice(1)).toMatchObject([
    ['StorageUnmounted', { storage: 'disk/0' }],
    ['StorageFailed', { storage: 'disk/0', message: 'no device' }],
  ]);
});

test('a mount that is made again at the second attempt lets the hooks of its unit run', async () => {
  let isAway = true;
  const { worker, host, calls, passes, clock } = agentWith(disk, () =>
    isAway
      ? Promise.reject(new Error('no device'))
      : Promise.resolve({ path: '/dev/loop0', device: 'loop0' }),
  );
  host.unmount = () => Promise.reject(new Error('target is busy'));
  await passes();
  expect(worker.isReadyFor('db/0')).toBe(false);
  isAway = false;
  clock.advance(60_000);
  await passes();
  expect(worker.isReadyFor('db/0')).toBe(true);
  expect(calls.map(([method]) => method)).toEqual(['StorageFailed']);
});

const { mounted: _, device: _device, ...wanted } = disk;
const path = '/dev/loop0';

test('a step that hangs holds no other storage', async () => {
  const { worker, calls, passes, records } = agentWith(
    { ...wanted, id: 'disk/1' },
    ({ id }) => (id === 'disk/1' ? new Promise(() => undefined) : Promise.resolve({ path })),
    [{ ...wanted, id: 'disk/2' }],
  );
  await passes();
  expect(calls).toEqual([['StorageMounted', { storage: 'disk/2', path }]]);
  expect(worker.isReadyFor('db/0')).toBe(true);
  // The step is not repeated before the mirror shows its outcome.
  await passes();
  expect(calls).toHaveLength(1);
  records.set('disk/3', { ...wanted, id: 'disk/3' });
  await passes();
  expect(calls.map(([, params]) => params)).toEqual([
    { storage: 'disk/2', path },
    { storage: 'disk/3', path },
  ]);
});

test('eight steps are under way at once, and each storage has one', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `disk/${n}`);
  const under = new Map<string, () => void>();
  let most = 0;
  const { calls, passes } = agentWith(
    { ...wanted, id: 'disk/0' },
    ({ id }) =>
      new Promise((resolve) => {
        expect(under.has(id)).toBe(false);
        under.set(id, () => resolve({ path }));
        most = Math.max(most, under.size);
      }),
    ids.slice(1).map((id) => ({ ...wanted, id })),
  );
  for (await passes(); under.size > 0; await passes()) {
    const [[id, end] = ['', () => undefined]] = under;
    under.delete(id);
    end();
  }
  expect(most).toBe(8);
  expect(calls.map(([, params]) => (params as { storage: string }).storage).sort()).toEqual([...ids].sort());
});

test('a failed step is retried when it is due, and a different step is tried at once', async () => {
  let fails = true;
  const { calls, passes, clock, records, host } = agentWith({ ...wanted, id: 'disk/1' }, () =>
    fails ? Promise.reject(new Error('no device')) : Promise.resolve({ path }),
  );
  const unmounted: string[] = [];
  host.unmount = ({ id }) => Promise.resolve(void unmounted.push(id));
  await passes();
  expect(calls.map(([method]) => method)).toEqual(['StorageFailed']);
  clock.advance(20_000);
  await passes();
  expect(calls).toHaveLength(1);
  fails = false;
  clock.advance(20_000);
  await passes();
  expect(calls.map(([method]) => method)).toEqual(['StorageFailed', 'StorageMounted']);
  fails = true;
  records.set('disk/1', { ...wanted, id: 'disk/1' });
  await passes();
  const { unit: _unit, attachmentLife: _life, ...left } = wanted;
  records.set('disk/1', { ...left, id: 'disk/1', mounted: '' });
  await passes();
  expect(unmounted).toEqual(['disk/1']);
});

test('a mount that hangs after a reboot holds the hooks of its own unit', async () => {
  const { worker, calls, passes } = agentWith(disk, () => new Promise(() => undefined), [
    { ...wanted, id: 'disk/2', unit: 'db/1', ready: false },
  ]);
  expect(worker.isReadyFor('db/1')).toBe(false);
  await passes();
  expect(calls).toEqual([['StorageMade', { storage: 'disk/2', size: 64 }]]);
  expect(worker.isReadyFor('db/0')).toBe(false);
  expect(worker.isReadyFor('db/1')).toBe(true);
});

test.each([
  { what: 'a mount after a reboot', record: disk },
  { what: 'a mount', record: wanted },
])('$what longer than a minute is reported as failed until it ends', async ({ record }) => {
  const mount = Promise.withResolvers<{ path: string; device: string }>();
  const { calls, passes, clock } = agentWith(record, () => mount.promise);
  await passes();
  clock.advance(59_000);
  await passes();
  expect(calls).toEqual([]);
  clock.advance(1_000);
  await passes();
  const message = 'the machine has not ended the step "mount" for 60 s';
  const told = ['StorageFailed', { storage: 'disk/0', message }];
  expect(calls).toEqual([told]);
  mount.resolve({ path, device: 'loop0' });
  await passes();
  await passes();
  expect(calls).toEqual([told, ['StorageMounted', { storage: 'disk/0', path, device: 'loop0' }]]);
});

test('the end of an agent waits for its steps, and ten seconds for those that hang', async () => {
  const mount = Promise.withResolvers<{ path: string }>();
  const { worker, passes, clock } = agentWith(wanted, ({ id }) =>
    id === 'disk/0' ? mount.promise : new Promise(() => undefined),
  );
  await passes();
  const ends: string[] = [];
  void worker.stop().then(() => ends.push('all'));
  for (let n = 0; n < 20; n++) await Promise.resolve();
  expect(ends).toEqual([]);
  mount.resolve({ path });
  await worker.stop();
  expect(ends).toEqual(['all']);

  const hanging = agentWith(wanted, () => new Promise(() => undefined));
  await hanging.passes();
  const end = hanging.worker.stop();
  hanging.clock.advance(10_000);
  await end;
  expect(clock.now()).toBe(0);
});

test.each(['keep', 'rerun'] as const)(
  'a mount that a restored model does not know ends once the restore is accepted: %s',
  async (state) => {
    const { worker, host, records, passes, model } = agentWith(disk, () => Promise.resolve({ path }));
    const forgotten: string[] = [];
    host.forget = (id) => Promise.resolve(void forgotten.push(id));
    await passes();
    records.delete('disk/0');
    model.restored = { id: 'restore-1', state: 'held' };
    await passes();
    expect(forgotten).toEqual([]);
    model.restored = { id: 'restore-1', state };
    expect(worker.isReadyFor('db/0')).toBe(false);
    await passes();
    expect([forgotten, worker.isReadyFor('db/0')]).toEqual([['disk/0'], true]);
  },
);

test('a mount that has ended since a backup is made again for an agent that has missed the wait of its model', async () => {
  const mounts: string[] = [];
  const { worker, records, passes, model } = agentWith(wanted, ({ id }) => {
    mounts.push(id);
    return Promise.resolve({ path, device: 'loop0' });
  });
  records.delete('disk/0');
  await passes();
  expect([mounts, worker.isReadyFor('db/0')]).toEqual([[], true]);
  records.set('disk/0', disk);
  model.restored = { id: 'restore-1', state: 'keep' };
  expect(worker.isReadyFor('db/0')).toBe(false);
  await passes();
  expect([mounts, worker.isReadyFor('db/0')]).toEqual([['disk/0'], true]);
});
