import { describe, expect, test } from 'vitest';
import { hardwareOf, mebibytes, snapshotOf, subnetOf, type LxdInstance } from './snapshot.ts';

const ran = '2026-11-22T09:08:22.367694486Z';
const lxdInstance: LxdInstance = {
  name: 'juju-3f9a2c-0',
  status: 'Running',
  type: 'container',
  architecture: 'x86_64',
  config: {
    'user.juju-machine-id': '0',
    'user.owner': 'me',
    'user.user-data': '#cloud-config',
    'user.grigri-ports': '[]',
    'limits.cpu': '2',
  },
  expanded_config: { 'volatile.eth0.hwaddr': '00:16:3e:a0:d7:ae' },
  devices: {},
  expanded_devices: {
    eth0: { type: 'nic', network: 'lxdbr0' },
    root: { type: 'disk', path: '/', pool: 'default' },
  },
  profiles: ['default'],
  location: 'none',
  last_used_at: ran,
};
const nic = (hwaddr: string, ...addresses: [string, string][]) => ({
  hwaddr,
  addresses: addresses.map(([address, scope]) => ({
    family: address.includes(':') ? ('inet6' as const) : ('inet' as const),
    address,
    netmask: address.includes(':') ? '64' : '24',
    scope: scope as 'global' | 'link' | 'local',
  })),
});

test('The tags of an instance exclude keys of LXD and cloud-init', () => {
  expect(snapshotOf(lxdInstance)).toEqual({
    id: 'juju-3f9a2c-0',
    displayName: 'juju-3f9a2c-0',
    status: 'running',
    message: 'Running',
    addresses: [],
    tags: { 'juju-machine-id': '0', owner: 'me' },
    isolation: 'lxd container',
  });
});

test.each([
  ['Running', ran, 'running'],
  ['Stopped', ran, 'stopped'],
  ['Frozen', ran, 'stopped'],
  ['Stopping', ran, 'stopped'],
  ['Error', ran, 'error'],
  ['Whatever', ran, 'unknown'],
  // An instance that never ran may be half created.
  ['Stopped', '1970-01-01T00:00:00Z', 'allocating'],
  ['Running', '1970-01-01T00:00:00Z', 'running'],
])('An instance with status %s, last used %s, is %s', (status, last_used_at, expected) => {
  expect(snapshotOf({ ...lxdInstance, status, last_used_at }).status).toBe(expected);
});

test('The addresses of an instance are those of its own interfaces, IPv4 first', () => {
  const network = {
    lo: nic('', ['127.0.0.1', 'local'], ['::1', 'local']),
    docker0: nic('02:42:00:00:00:01', ['172.17.0.1', 'global']),
    'gri-1': nic('02:42:00:00:00:02', ['10.77.0.200', 'global']),
    // The NIC is matched by its MAC, whatever its name.
    net0: nic(
      '00:16:3e:a0:d7:ae',
      ['fe80::1', 'link'],
      ['fd42:1:2:3::9', 'global'],
      ['10.77.0.33', 'global'],
    ),
  };
  expect(snapshotOf({ ...lxdInstance, state: { network } }).addresses).toEqual([
    {
      value: '10.77.0.33',
      type: 'ipv4',
      scope: 'local-cloud',
      cidr: '10.77.0.0/24',
      interfaceName: 'net0',
      macAddress: '00:16:3e:a0:d7:ae',
    },
    expect.objectContaining({ value: 'fd42:1:2:3::9', type: 'ipv6', cidr: 'fd42:1:2:3::/64' }),
  ]);
});

test('The zone is the cluster member, and a virtual machine has its own isolation', () => {
  const vm = snapshotOf({ ...lxdInstance, type: 'virtual-machine', location: 'node2' });
  expect([vm.zone, vm.isolation]).toEqual(['node2', '']);
});

describe('hardware', () => {
  const server = { cores: 8, mem: 16_384, pool: 100_000 };
  const withLimits = (
    expanded_config: Record<string, string>,
    more: Partial<LxdInstance> = {},
  ): ReturnType<typeof hardwareOf> => hardwareOf({ ...lxdInstance, expanded_config, ...more }, server);

  test("A container without limits has the whole server, and a virtual machine without limits LXD's defaults", () => {
    expect(withLimits({})).toEqual({
      arch: 'amd64',
      cores: 8,
      mem: 16_384,
      rootDisk: 100_000,
      rootDiskSource: 'default',
      virtType: 'container',
    });
    expect(withLimits({}, { type: 'virtual-machine', architecture: 'aarch64' })).toMatchObject({
      arch: 'arm64',
      cores: 1,
      mem: 1024,
      rootDisk: 10_240,
    });
    expect(hardwareOf(lxdInstance, {})).toEqual({
      arch: 'amd64',
      rootDiskSource: 'default',
      virtType: 'container',
    });
  });

  test.each([
    ['4', 4],
    ['0-3', 4],
    ['1,5-6', 3],
    ['?', 8],
  ])('The limit limits.cpu=%s is %i cores', (text, cores) => {
    expect(withLimits({ 'limits.cpu': text }).cores).toBe(cores);
  });

  test('Memory limits may be percentages', () => {
    expect(withLimits({ 'limits.memory': '25%' }).mem).toBe(4096);
    expect(withLimits({ 'limits.memory': '3GiB' }).mem).toBe(3072);
  });
});

test.each([
  ['512MiB', 512],
  ['2GB', 1907],
  ['1073741824', 1024],
  ['1048576B', 1],
  ['', undefined],
  ['much', undefined],
])('The size %s is %s MiB', (text, expected) => {
  expect(mebibytes(text)).toBe(expected);
});

test.each([
  ['10.77.0.33', 24, '10.77.0.0/24'],
  ['10.77.255.33', 20, '10.77.240.0/20'],
  ['192.0.2.129', 32, '192.0.2.129/32'],
  ['192.0.2.129', 0, '0.0.0.0/0'],
  ['fd42:1:2:3:4:5:6:7', 64, 'fd42:1:2:3::/64'],
  ['2001:db8::ff01', 120, '2001:db8::ff00/120'],
])('The address %s/%i is in the subnet %s', (address, prefix, subnet) => {
  expect(subnetOf(address, prefix)).toBe(subnet);
});
