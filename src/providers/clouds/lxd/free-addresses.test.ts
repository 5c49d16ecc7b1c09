import { expect, test } from 'vitest';
import { freeAddresses, subnetOf } from './free-addresses.ts';

test.each<{ name: string; config: Record<string, string>; taken: string[]; free: string[] }>([
  {
    name: 'network, bridge and broadcast addresses are excluded',
    config: { 'ipv4.address': '10.77.0.1/29' },
    taken: ['10.77.0.6', '10.77.0.3'],
    free: ['10.77.0.5', '10.77.0.4', '10.77.0.2'],
  },
  {
    name: 'a bridge in the middle of its subnet',
    config: { 'ipv4.address': '10.77.0.12/30' },
    taken: [],
    free: ['10.77.0.14', '10.77.0.13'],
  },
  {
    name: 'configured DHCP ranges limit the addresses',
    config: {
      'ipv4.address': '10.77.0.1/24',
      'ipv4.dhcp.ranges': '10.77.0.8-10.77.0.9, 10.77.0.100-10.77.0.100',
    },
    taken: ['10.77.0.9'],
    free: ['10.77.0.8', '10.77.0.100'],
  },
  {
    name: 'every address of the subnet is taken',
    config: { 'ipv4.address': '10.77.0.1/30' },
    taken: ['10.77.0.2'],
    free: [],
  },
])('Free addresses: $name', ({ config, taken, free }) => {
  expect([...freeAddresses(config, new Set(taken))]).toEqual(free);
});

test('The subnet of an address is computed from its prefix', () => {
  expect(subnetOf('10.77.3.1/22')).toBe('10.77.0.0/22');
});
