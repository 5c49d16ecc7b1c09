/** Tests of storage that a reboot has moved (storage.md#storage-steps). */
import { expect, test } from 'vitest';
import { silentLog } from '../../kit/log.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import { StorageWorker, type Mounted, type StorageHost } from './storage-worker.ts';
import type { MachineWorld } from './world.ts';

const nothing = (): Promise<void> => Promise.resolve();

/** An agent that starts on a machine with the disk, which `host.mount` shows. */
function agentWith(record: StorageRecord, mount: () => Promise<Mounted>) {
  const records = new Map([[record.id, record]]);
  const calls: [method: string, params: object][] = [];
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
      storage: (id: string) => records.get(id),
      storages: () => [...records.values()],
    },
    api: {
      call: (method: string, params: object) => Promise.resolve(void calls.push([method, params])),
    },
    clock: new ManualClock(0),
    random: () => 0.5,
    log: silentLog,
  } as unknown as MachineWorld;
  return { worker: new StorageWorker(world, host), records, calls };
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

test('hooks wait until their storage is known to be where it is now', async () => {
  const { worker, records, calls } = agentWith(disk, () =>
    Promise.resolve({ path: '/dev/loop1', device: 'loop1' }),
  );
  await worker.pass(signal);
  expect(calls).toEqual([['StorageMounted', { storage: 'disk/0', path: '/dev/loop1', device: 'loop1' }]]);
  expect(worker.settled).toBe(false);
  records.set('disk/0', { ...disk, mounted: '/dev/loop1', device: 'loop1' });
  await worker.pass(signal);
  expect(worker.settled).toBe(true);
  expect(calls).toHaveLength(1);
});

test('hooks wait until their storage is known to be away', async () => {
  const { worker, records, calls } = agentWith(disk, () => Promise.reject(new Error('no device')));
  await worker.pass(signal);
  expect(calls.map(([method]) => method)).toEqual(['StorageUnmounted', 'StorageFailed']);
  expect(worker.settled).toBe(false);
  const { mounted: _, device: _device, ...away } = disk;
  records.set('disk/0', away);
  await worker.pass(signal);
  expect(worker.settled).toBe(true);
});

test('storage that is where it was is not told of', async () => {
  const { worker, calls } = agentWith(disk, () => Promise.resolve({ path: '/dev/loop0', device: 'loop0' }));
  await worker.pass(signal);
  expect(worker.settled).toBe(true);
  expect(calls).toEqual([]);
});
