import { expect, test } from 'vitest';
import { parsePlacement } from './placement.ts';

const uuid = '0f9b6a4e-4a4b-4c7e-8b1a-3d1d4b1f2c3d';

test.each([
  ['5', '#', '5'],
  ['0/lxd/2', '#', '0/lxd/2'],
  ['#:5', '#', '5'],
  ['lxd', 'lxd', ''],
  ['lxd:5', 'lxd', '5'],
  ['lxd:5/lxd/0', 'lxd', '5/lxd/0'],
  ['kvm:0', 'kvm', '0'],
  ['ssh:ubuntu@10.0.0.1', 'ssh', 'ubuntu@10.0.0.1'],
  ['ssh:10.0.0.1', 'ssh', '10.0.0.1'],
  ['subnet=10.0.0.0/24', uuid, 'subnet=10.0.0.0/24'],
  ['zone=z1', uuid, 'zone=z1'],
  ['node1', uuid, 'node1'],
  [`${uuid}:zone=z1`, uuid, 'zone=z1'],
])('the placement %s has scope %s and directive %s', (text, scope, directive) => {
  expect(parsePlacement(text, uuid)).toEqual({ scope, directive });
});

test.each([
  [':5', 'placement scope missing'],
  ['', 'placement scope missing'],
  ['#:x', 'invalid value "x" for "#" scope: expected machine-id'],
  ['lxd:x', 'invalid value "x" for "lxd" scope: expected machine-id'],
  ['lxd:', 'invalid value "" for "lxd" scope: expected machine-id'],
])('the placement %j is refused', (text, message) => {
  expect(() => parsePlacement(text, uuid)).toThrow(expect.objectContaining({ code: 'not valid', message }));
});

test('the placement directive of a provider needs a model', () => {
  expect(() => parsePlacement('zone=z1')).toThrow('placement scope missing');
});
