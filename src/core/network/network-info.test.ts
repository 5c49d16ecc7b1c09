import { describe, expect, test } from 'vitest';
import {
  networkInfo,
  networkSettings,
  parseCidrs,
  privateAddress,
  type SpacedAddress,
} from './network-info.ts';

const address = (value: string, interfaceName: string, rest: Partial<SpacedAddress> = {}): SpacedAddress => ({
  value,
  scope: 'local-cloud',
  space: 'alpha',
  interfaceName,
  ...rest,
});
const eth0 = address('192.168.1.5', 'eth0', { cidr: '192.168.1.0/24', macAddress: '00:00:00:00:00:01' });
const eth1 = address('10.0.8.5', 'eth1', { space: 'db', cidr: '10.0.8.0/24' });
const eth1too = address('10.0.8.4', 'eth1', { space: 'db', cidr: '10.0.8.0/24' });
const eth2 = address('10.0.9.5', 'eth2');
const elastic = address('203.0.113.9', '', { scope: 'public' });
const docker = address('172.17.0.1', 'docker0');
const loopback = address('127.0.0.1', 'lo', { scope: 'local-machine' });
const all = [elastic, eth0, eth1, eth1too, eth2, docker, loopback];
const inSpace = (space: string, addresses = all, egressSubnets: string[] = []) =>
  networkInfo(addresses, { space, egressSubnets });

describe('the network information of an endpoint', () => {
  test('has the addresses in its space, by device', () => {
    expect(inSpace('db')).toEqual({
      devices: [
        {
          interfaceName: 'eth1',
          macAddress: '',
          addresses: [
            { value: '10.0.8.4', cidr: '10.0.8.0/24' },
            { value: '10.0.8.5', cidr: '10.0.8.0/24' },
          ],
        },
      ],
      ingress: ['10.0.8.4', '10.0.8.5'],
      egress: ['10.0.8.4/32'],
    });
  });

  test('has the private address first in the default space; no device carries the public address', () => {
    expect(inSpace('alpha')?.ingress).toEqual(['192.168.1.5', '10.0.9.5']);
    expect(inSpace('alpha')?.devices[0]).toEqual({
      interfaceName: 'eth0',
      macAddress: '00:00:00:00:00:01',
      addresses: [{ value: '192.168.1.5', cidr: '192.168.1.0/24' }],
    });
  });

  test('has the public address before others that a device carries', () => {
    const owned = { ...elastic, interfaceName: 'eth9' };
    expect(inSpace('alpha', [eth0, eth2, owned])?.ingress).toEqual([
      '192.168.1.5',
      '203.0.113.9',
      '10.0.9.5',
    ]);
  });

  test('is empty for a space in which the machine has no address', () => {
    expect(inSpace('nowhere')).toBeUndefined();
    expect(inSpace('alpha', [])).toBeUndefined();
    expect(inSpace('alpha', [docker])?.ingress).toEqual(['172.17.0.1']);
  });

  test('has the address that the provider knows before the agent has reported its device', () => {
    const known = address('10.0.0.1', '', { interfaceName: undefined });
    expect(inSpace('alpha', [known])).toEqual({
      devices: [{ interfaceName: '', macAddress: '', addresses: [{ value: '10.0.0.1', cidr: '' }] }],
      ingress: ['10.0.0.1'],
      egress: ['10.0.0.1/32'],
    });
    expect(inSpace('db', [known])).toBeUndefined();
  });

  test('has a host name when the machine has no other address', () => {
    const named = address('host.example', '');
    expect(inSpace('alpha', [named])?.ingress).toEqual(['host.example']);
    expect(inSpace('alpha', [named, eth0])?.ingress).toEqual(['192.168.1.5']);
  });

  test('has the egress subnets of the model’s configuration, or else its first address', () => {
    expect(inSpace('db', all, ['192.0.2.0/24'])?.egress).toEqual(['192.0.2.0/24']);
    expect(inSpace('alpha', [address('fd00::5', 'eth0')])?.egress).toEqual(['fd00::5/128']);
  });
});

test.each([
  [[elastic, eth0], '192.168.1.5'],
  [[elastic], '203.0.113.9'],
  [[docker, eth2], '10.0.9.5'],
  [[loopback], '127.0.0.1'],
  [[], undefined],
])('the private address of %j is %s', (addresses, value) => {
  expect(privateAddress(addresses)?.value).toBe(value);
});

test('a unit’s databag has the first address and the egress subnets, or empty values', () => {
  expect(networkSettings(inSpace('db', all, ['10.0.0.0/8', '192.0.2.0/24']))).toEqual({
    'egress-subnets': '10.0.0.0/8,192.0.2.0/24',
    'ingress-address': '10.0.8.4',
    'private-address': '10.0.8.4',
  });
  expect(networkSettings(undefined)).toEqual({
    'egress-subnets': '',
    'ingress-address': '',
    'private-address': '',
  });
});

test('the CIDRs of a setting are read from a list with commas', () => {
  expect(parseCidrs(' 10.0.0.0/8, ,192.0.2.0/24')).toEqual(['10.0.0.0/8', '192.0.2.0/24']);
  expect(parseCidrs('')).toEqual([]);
  expect(parseCidrs(undefined)).toEqual([]);
});
