import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { checkVia } from './check-via.ts';

test('the networks of a relation are written in one canonical form', () => {
  expect(checkVia([], false)).toEqual([]);
  expect(checkVia(['10.0.0.7/24', ' fd00::1/64'], true)).toEqual(['10.0.0.0/24', 'fd00::/64']);
});

test.each([
  [['0.0.0.0/0'], true, 'CIDR "0.0.0.0/0" not allowed'],
  [['10.0.0.0/8', '::/0'], true, 'CIDR "::/0" not allowed'],
  [['10.0.0.1'], true, 'invalid CIDR address: 10.0.0.1'],
  [['10.0.0.0/8'], false, 'integration via subnets for non cross model relations not supported'],
  [Array.from({ length: limits.viaCidrs.max + 1 }, () => '10.0.0.0/8'), true, 'exceed the limit'],
])('networks %j of a relation with another model (%s) are refused: %s', (cidrs, remote, message) => {
  expect(() => checkVia(cidrs, remote)).toThrow(message);
});
