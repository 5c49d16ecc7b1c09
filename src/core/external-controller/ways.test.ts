import { expect, test } from 'vitest';
import { waysTo } from './ways.ts';

const given = { uuid: 'u', alias: 'far', addresses: ['a:1', 'b:1'], caCert: 'A' };

test('a controller that has not told its addresses is tried at the given ones', () => {
  expect(waysTo(given)).toEqual({ addresses: ['a:1', 'b:1'], caCert: 'A' });
});

test('addresses that a controller tells are tried after the given ones, each once', () => {
  const told = { addresses: ['c:1', 'b:1'], caCert: 'A' };
  expect(waysTo({ ...given, told })).toEqual({ addresses: ['a:1', 'b:1', 'c:1'], caCert: 'A' });
});

test('a CA that a controller tells is trusted beside the given one', () => {
  expect(waysTo({ ...given, told: { addresses: ['a:1'], caCert: 'B' } }).caCert).toBe('A\nB');
});
