import { expect, test } from 'vitest';
import { presentNames, withDefaultBase } from './default-series.ts';

test.each([
  [
    { 'default-series': 'jammy', mode: 'x' },
    { 'default-base': 'ubuntu@22.04', mode: 'x' },
  ],
  [{ 'default-series': '' }, { 'default-base': '' }],
  [{ 'default-base': 'ubuntu@24.04' }, { 'default-base': 'ubuntu@24.04' }],
  [{}, {}],
])('%j sets %j', (given, settings) => {
  expect(withDefaultBase(given)).toEqual(settings);
});

test.each([
  [{ 'default-series': 'jammy', 'default-base': 'ubuntu@22.04' }, 'cannot both be set'],
  [{ 'default-series': 'trixie-next' }, 'default-series: series "trixie-next" is not known'],
  [{ 'default-series': 'constructor' }, 'series "constructor" is not known'],
  [{ 'default-series': 7 }, 'series 7 is not known'],
])('%j is refused: %s', (given, message) => {
  expect(() => withDefaultBase(given)).toThrow(message);
});

test('a reset of the former name is one of the present', () => {
  expect(presentNames(['default-series', 'mode'])).toEqual(['default-base', 'mode']);
});
