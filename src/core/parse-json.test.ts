import { expect, test } from 'vitest';
import { limits } from './limits.ts';
import { parseJson } from './parse-json.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('a JSON text at limits.jsonDepth is read, a deeper one is refused', () => {
  const { max } = limits.jsonDepth;
  expect(JSON.stringify(parseJson(nested(max)))).toBe(nested(max));
  expect(() => parseJson(nested(max + 1))).toThrow(`exceed the limit of ${max}`);
  expect(() => parseJson(`{"a":${nested(100_000)}}`)).toThrow(`exceed the limit of ${max}`);
});

test('a wide JSON text is read whatever its number of brackets', () => {
  const wide = JSON.stringify({ list: Array.from({ length: 1000 }, () => ({ a: [null, 'x', 1] })) });
  expect(JSON.stringify(parseJson(wide))).toBe(wide);
});
