import { expect, test } from 'vitest';
import fc from '../testing/fast-check.ts';
import { jsonBytes } from './json-bytes.ts';

test('the size of a value is that of its JSON in UTF-8', () => {
  const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  for (const value of ['', 'a', '\u0000', 'é', '€', '😀', '\ud800', '"\\\n', -0, 1e300, null, true, [], {}])
    expect([value, jsonBytes(value)]).toEqual([value, sizeOf(value)]);
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonBytes(value) === sizeOf(value)));
});

test('a value that JSON omits has no size', () => {
  expect(jsonBytes(undefined)).toBe(0);
});
