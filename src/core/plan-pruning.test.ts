import { describe, expect, test } from 'vitest';
import { mergedModelConfig } from './model/config.ts';
import { planPruning, pruningSettings, type KeptOperation } from './plan-pruning.ts';
import { defined } from './defined.ts';

const now = 1000;
const none = { maxAge: 0, maxBytes: 0 };
const of = (id: string, bytes: number, ended?: number): KeptOperation => ({
  id,
  bytes,
  ...defined({ ended }),
});

describe('planPruning', () => {
  test.each<[what: string, operations: KeptOperation[], settings: object, gone: string[]]>([
    ['no operation is pruned without settings', [of('1', 999, 0)], {}, []],
    [
      'operations that ended longer ago than the maximum age are pruned',
      [of('1', 1, 899), of('2', 1, 900)],
      { maxAge: 100 },
      ['1'],
    ],
    [
      'an operation that has not ended is never pruned',
      [of('1', 9), of('2', 1, 0)],
      { maxAge: 1, maxBytes: 1 },
      ['2'],
    ],
    [
      'the oldest operations are pruned until the rest fits the maximum size',
      [of('1', 40, 1), of('2', 40, 2), of('3', 40, 3)],
      { maxBytes: 80 },
      ['1'],
    ],
    [
      'no operation is pruned when all have exactly the maximum size',
      [of('1', 40, 1), of('2', 40, 2)],
      { maxBytes: 80 },
      [],
    ],
    [
      'the maximum size applies to what the maximum age has left',
      [of('1', 40, 999), of('2', 40, 1), of('3', 40, 999)],
      { maxAge: 100, maxBytes: 40 },
      ['2', '1'],
    ],
  ])('%s', (_, operations, settings, gone) => {
    expect(planPruning(operations, { ...none, ...settings }, now)).toEqual(gone);
  });
});

test.each([
  [{}, { maxAge: 14 * 24 * 3_600_000, maxBytes: 5 * 1024 ** 3 }],
  [
    { 'max-action-results-age': '1h30m', 'max-action-results-size': '1.5M' },
    { maxAge: 5_400_000, maxBytes: 1.5 * 1024 ** 2 },
  ],
  [
    { 'max-action-results-age': '0', 'max-action-results-size': '2' },
    { maxAge: 0, maxBytes: 2 * 1024 ** 2 },
  ],
  [{ 'max-action-results-size': '0' }, { maxAge: 14 * 24 * 3_600_000, maxBytes: 0 }],
])('the settings %o are read as %o', (config, settings) => {
  expect(pruningSettings(mergedModelConfig(config))).toEqual(settings);
});
