/** Tests of the LXD pools that settings name (provider-rules.md#lxd-volumes). */
import { expect, test } from 'vitest';
import { createLocks } from '../../../kit/locks.ts';
import type { LxdClient, LxdRequest } from './client.ts';
import { LxdError } from './client.ts';
import type { LxdContext } from './context.ts';
import { defaultPools, ensurePool, wantedPool } from './pools.ts';

const { signal } = new AbortController();

test.each([
  [{}, { name: 'default', driver: undefined, config: {}, volume: {} }],
  [{ 'lxd-pool': 'ssd' }, { name: 'ssd', driver: undefined, config: {}, volume: {} }],
  [{ driver: 'dir' }, { name: 'juju', driver: 'dir', config: {}, volume: {} }],
  [
    { driver: 'zfs', 'lxd-pool': 'fast', 'zfs.pool_name': 'tank', 'volume.zfs.use_refquota': 'true' },
    {
      name: 'fast',
      driver: 'zfs',
      config: { 'zfs.pool_name': 'tank' },
      volume: { 'zfs.use_refquota': 'true' },
    },
  ],
])('the settings %j name a pool of LXD', (config, wanted) => {
  expect(wantedPool(config)).toEqual(wanted);
});

test.each([
  [{ 'lxd-pool': 'a:b' }, 'LXD storage pool name "a:b" not valid'],
  [{ 'lxd-pool': '../x' }, 'LXD storage pool name "../x" not valid'],
  [{ driver: 'zfs btrfs' }, 'LXD storage driver "zfs btrfs" not valid'],
])('the settings %j are refused', (config, message) => {
  expect(() => wantedPool(config)).toThrow(message);
});

/** Creates an LXD with a pool `default` of the driver dir, and a record of the pools that it was asked to make. */
function lxdWith(
  more: { drivers?: readonly string[]; clustered?: boolean; taken?: boolean } = {},
): Pick<LxdContext, 'client' | 'locks'> & { readonly made: unknown[] } {
  const made: unknown[] = [];
  const environment = {
    server_clustered: more.clustered ?? false,
    storage_supported_drivers: (more.drivers ?? ['dir', 'btrfs']).map((Name) => ({ Name })),
  };
  const client = {
    find: (path: string) => Promise.resolve(path.endsWith('/default') ? { driver: 'dir' } : undefined),
    request({ method, body }: LxdRequest) {
      if (method === 'GET') return Promise.resolve({ environment });
      if (more.taken) return Promise.reject(new LxdError(400, 'The storage pool already exists'));
      made.push(body);
      return Promise.resolve();
    },
  } as unknown as LxdClient;
  return { client, locks: createLocks(), made };
}
const ensure = (lxd: ReturnType<typeof lxdWith>, config: Record<string, string>): Promise<void> =>
  ensurePool(lxd as unknown as LxdContext, wantedPool(config), signal);

test('a pool that LXD lacks is made with its driver and settings; an existing pool is used', async () => {
  const lxd = lxdWith();
  await ensure(lxd, {});
  await ensure(lxd, { driver: 'dir', 'lxd-pool': 'default' });
  expect(lxd.made).toEqual([]);
  await ensure(lxd, { driver: 'btrfs', 'lxd-pool': 'fast', size: '2GiB', 'volume.size': '1GiB' });
  expect(lxd.made).toMatchObject([{ name: 'fast', driver: 'btrfs', config: { size: '2GiB' } }]);
  await ensure(lxdWith({ taken: true }), { driver: 'btrfs' });
});

test.each([
  [
    {},
    { driver: 'btrfs', 'lxd-pool': 'default' },
    'LXD storage pool "default" has the driver "dir", not "btrfs"',
  ],
  [{}, { driver: 'zfs' }, 'LXD has no storage driver "zfs", only btrfs, dir'],
  [
    {},
    { 'lxd-pool': 'ssd' },
    'LXD storage pool "ssd" not found: make it, or say with which driver it is to be made',
  ],
  [{ clustered: true }, { driver: 'dir' }, 'pools are made on each member by its operator'],
])('an LXD %j refuses the settings %j', async (more, config, message) => {
  await expect(ensure(lxdWith(more), config as Record<string, string>)).rejects.toThrow(message);
});

test('a model has the pools whose drivers LXD has', async () => {
  expect(await defaultPools(lxdWith(), signal)).toEqual([
    { name: 'lxd-btrfs', attributes: { driver: 'btrfs', 'lxd-pool': 'juju-btrfs' } },
  ]);
  expect(await defaultPools(lxdWith({ drivers: ['dir', 'zfs', 'btrfs'] }), signal)).toHaveLength(2);
  expect(await defaultPools(lxdWith({ drivers: ['dir'] }), signal)).toEqual([]);
});
