import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

test.each([
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['336h', 1_209_600_000],
  ['1.5s', 1500],
  ['250ms', 250],
  ['5m0s', 300_000],
  ['1m0s', 60_000],
  ['0', 0],
  ['-5s', -5000],
])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each([
  [0, '0s'],
  [50, '0.05s'],
  [5000, '5s'],
  [90_000, '1m30s'],
  [3_600_000, '1h'],
  [5_400_500, '1h30m0.5s'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '5', 'm', '5 m', '5d', '5m5', '.s', 'five'])('%j is refused as a duration', (text) => {
  expect(() => parseDuration(text)).toThrow(`invalid duration "${text}"`);
});
