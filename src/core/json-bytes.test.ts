import { expect, test } from 'vitest';
import fc from '../testing/fast-check.ts';
import { jsonBytes, jsonLength } from './json-bytes.ts';

test('the size of a value is that of its JSON in UTF-8', () => {
  const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  for (const value of ['', 'a', '\u0000', 'é', '€', '😀', '\ud800', '"\\\n', -0, 1e300, null, true, [], {}])
    expect([value, jsonBytes(value)]).toEqual([value, sizeOf(value)]);
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonBytes(value) === sizeOf(value)));
});

test('the size of a value that JSON omits is zero', () => {
  expect(jsonBytes(undefined)).toBe(0);
});

test('the length of a value is about that of its JSON, and is counted only up to the given limit', () => {
  const record = { id: 'data/0', tags: ['a', 'b'], size: 1024, since: '2026-01-01T00:00:00Z', made: null };
  for (const value of ['text', 1, [], [record, record], { output: 'x'.repeat(1000) }]) {
    const { length } = JSON.stringify(value);
    expect([jsonLength(value, Infinity) >= length, jsonLength(value, Infinity) < 1.5 * length + 20]).toEqual([
      true,
      true,
    ]);
  }
  let reads = 0;
  const endless = Array.from({ length: 1000 }, () => ({
    get text() {
      reads++;
      return 'x'.repeat(100);
    },
  }));
  expect(jsonLength(endless, 250)).toBeGreaterThan(250);
  expect(reads).toBe(3);
});
