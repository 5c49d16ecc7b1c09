import fc from '../../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import {
  addressOf,
  candidateSubnets,
  gatewayOf,
  machineCidr,
  machinesPerModel,
  macFor,
  subnetOf,
} from './subnets.ts';

test('Every machine of a model has a unique address between the subnet’s first and last', () => {
  const subnet = '10.88.4.0/22';
  const all = Array.from({ length: machinesPerModel }, (_, slot) => machineCidr(subnet, slot));
  expect(new Set([...all, `${gatewayOf(subnet)}/22`]).size).toBe(machinesPerModel + 1);
  expect(gatewayOf(subnet)).toBe('10.88.4.1');
  expect(all[0]).toBe('10.88.4.2/22');
  expect(all.at(-1)).toBe('10.88.7.254/22');
  expect(all.map(subnetOf).every((each) => each === subnet)).toBe(true);
  expect(macFor(addressOf('10.88.4.2/22'))).toBe('02:67:0a:58:04:02');
});

test('Candidate subnets are distinct, depend on the model, and avoid those that the host uses', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 0, max: 255 }), (uuid, used) => {
      const free = candidateSubnets(uuid, [`10.${used}.0.0/16`, '10.77.5.9', '192.168.0.0/16', 'broadcast']);
      const first = Array.from({ length: 200 }, () => free.next().value as string);
      expect(new Set(first).size).toBe(200);
      expect(first.filter((subnet) => subnet.startsWith(`10.${used}.`) || subnet === '10.77.4.0/22')).toEqual(
        [],
      );
    }),
  );
  expect([...candidateSubnets('0-00', ['0.0.0.0/0'])]).toEqual([]);
  expect([...candidateSubnets('0-00', [])]).toHaveLength(16384);
});
