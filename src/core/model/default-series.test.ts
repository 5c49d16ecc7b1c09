import { expect, test } from 'vitest';
import { presentNames, withDefaultBase, withDefaultSeries } from './default-series.ts';

test.each([
  [
    { 'default-series': 'jammy', mode: 'x' },
    { 'default-base': 'ubuntu@22.04', mode: 'x' },
  ],
  [{ 'default-series': '' }, { 'default-base': '' }],
  [{ 'default-base': 'ubuntu@24.04' }, { 'default-base': 'ubuntu@24.04' }],
  [{}, {}],
  [{ 'default-series': '', 'default-base': 'ubuntu@24.04' }, { 'default-base': 'ubuntu@24.04' }],
  [
    { 'default-series': 'jammy', 'default-base': 'ubuntu@22.04/stable' },
    { 'default-base': 'ubuntu@22.04/stable' },
  ],
])('the settings %j are stored as %j', (given, settings) => {
  expect(withDefaultBase(given)).toEqual(settings);
});

test.each([
  [
    { 'default-series': 'jammy', 'default-base': 'ubuntu@24.04' },
    'cannot set both default-series and default-base',
  ],
  [{ 'default-series': 'jammy', 'default-base': '' }, 'cannot set both default-series and default-base'],
  [{ 'default-series': 'jammy', 'default-base': 7 }, 'cannot set both default-series and default-base'],
  [{ 'default-series': 'trixie-next' }, 'default-series: series "trixie-next" is not known'],
  [{ 'default-series': 'constructor' }, 'series "constructor" is not known'],
  [{ 'default-series': 7 }, 'series 7 is not known'],
])('the settings %j are refused: %s', (given, message) => {
  expect(() => withDefaultBase(given)).toThrow(message);
});

test('a reset of default-series resets default-base', () => {
  expect(presentNames(['default-series', 'mode'])).toEqual(['default-base', 'mode']);
});

test.each([
  ['ubuntu@22.04', 'jammy'],
  ['', ''],
  ['fedora@40', ''],
])('the base %j is also shown as the series %j, with its source', (value, series) => {
  const shown = withDefaultSeries({
    'default-base': { value, source: 'region' },
    mode: { value: 'x', source: 'model' },
  });
  expect(shown).toEqual({
    'default-base': { value, source: 'region' },
    'default-series': { value: series, source: 'region' },
    mode: { value: 'x', source: 'model' },
  });
});
