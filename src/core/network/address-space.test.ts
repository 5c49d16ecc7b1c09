import { expect, test } from 'vitest';
import { isOfNetwork, spaceOfAddress, spacesOfMachine, subnetCidr } from './address-space.ts';

const subnets: Record<string, { space: string }> = {
  '10.0.8.0/24': { space: 'db' },
  'fd00::/64': { space: 'v6' },
};
const find = (cidr: string) => subnets[cidr];
const address = (value: string, cidr?: string, interfaceName = 'eth0') => ({
  value,
  scope: 'local-cloud' as const,
  interfaceName,
  ...(cidr === undefined ? {} : { cidr }),
});

test.each([
  ['10.0.8.7', '10.0.8.0/24', '10.0.8.0/24', 'db'],
  // A cidr of the address itself counts as its network's.
  ['10.0.8.7', '10.0.8.7/24', '10.0.8.0/24', 'db'],
  ['fd00::5', 'fd00::5/64', 'fd00::/64', 'v6'],
  ['10.0.9.7', '10.0.9.0/24', '10.0.9.0/24', 'alpha'],
  ['10.0.8.7', '10.0.8.7/32', undefined, 'alpha'],
  ['fd00::5', 'fd00::5/128', undefined, 'alpha'],
  ['10.0.8.7', '0.0.0.0/0', undefined, 'alpha'],
  ['10.0.8.7', 'nonsense', undefined, 'alpha'],
  ['10.0.8.7', undefined, undefined, 'alpha'],
])('the address %s with the CIDR %s is in the subnet %s and the space %s', (value, cidr, subnet, space) => {
  expect(subnetCidr(address(value, cidr))).toBe(subnet);
  expect(spaceOfAddress(address(value, cidr), find)).toBe(space);
});

test.each([
  [address('10.0.8.7'), true],
  [address('172.17.0.1', '172.17.0.0/16', 'docker0'), false],
  [address('10.9.0.1', '10.9.0.0/24', 'lxdbr0'), false],
  [address('192.168.122.1', '192.168.122.0/24', 'virbr0'), false],
  [{ ...address('127.0.0.1'), scope: 'local-machine' as const }, false],
  [address('host.example'), false],
])('addresses at which others reach a machine include %j: %s', (seen, expected) => {
  expect(isOfNetwork(seen)).toBe(expected);
});

test('a machine is in the spaces of the addresses at which others reach it', () => {
  const addresses = [
    address('10.0.8.7', '10.0.8.0/24'),
    address('10.0.9.7', '10.0.9.0/24', 'eth1'),
    address('fd00::1', 'fd00::/64', 'docker0'),
  ];
  expect(spacesOfMachine(addresses, find)).toEqual(new Set(['db', 'alpha']));
  expect(spacesOfMachine([], find)).toEqual(new Set());
});
