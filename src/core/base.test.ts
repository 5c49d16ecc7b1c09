import { describe, expect, test } from 'vitest';
import {
  baseOfSeries,
  chooseBase,
  formatBase,
  isSupportedBase,
  parseBase,
  sameBase,
  seriesOfBase,
  type BaseChoice,
} from './base.ts';

test.each([
  ['ubuntu@24.04', '24.04/stable', 'ubuntu@24.04'],
  ['ubuntu@24.04/stable', '24.04/stable', 'ubuntu@24.04'],
  ['ubuntu@24.04/edge', '24.04/edge', 'ubuntu@24.04/edge'],
  ['debian@12', '12/stable', 'debian@12'],
])('%s', (text, channel, shown) => {
  const base = parseBase(text);
  expect(base.channel).toBe(channel);
  expect(formatBase(base)).toBe(shown);
});

test.each([
  '',
  'ubuntu',
  'ubuntu@',
  '@24.04',
  'ubuntu@24.04@x',
  'ubuntu@24.04/risky',
  'ubuntu@24.04/edge/branch',
  'UB@1',
  'ubuntu@/edge',
])('%j is no base', (text) =>
  expect(() => parseBase(text)).toThrow(expect.objectContaining({ code: 'not valid' })),
);

test('bases are the same whatever the risk', () => {
  expect(sameBase(parseBase('ubuntu@24.04'), parseBase('ubuntu@24.04/edge'))).toBe(true);
  expect(sameBase(parseBase('ubuntu@24.04'), parseBase('ubuntu@22.04'))).toBe(false);
  expect(sameBase(parseBase('debian@12'), parseBase('ubuntu@12'))).toBe(false);
});

test('series are bases by another name', () => {
  expect(baseOfSeries('jammy')).toEqual(parseBase('ubuntu@22.04'));
  expect(baseOfSeries('warty')).toBeUndefined();
  expect(baseOfSeries('constructor')).toBeUndefined();
  expect(seriesOfBase(parseBase('ubuntu@24.04/edge'))).toBe('noble');
  expect(seriesOfBase(parseBase('ubuntu@99.04'))).toBe('');
});

test('interim releases are known and not supported', () => {
  expect(isSupportedBase(baseOfSeries('plucky')!)).toBe(false);
  expect(isSupportedBase(parseBase('ubuntu@26.04'))).toBe(true);
});

describe('chooseBase', () => {
  const bases = (...texts: string[]) => texts.map(parseBase);
  const choice = (given: Partial<BaseChoice>): BaseChoice => ({ charmBases: [], force: false, ...given });

  test.each<[string, Partial<BaseChoice>, string]>([
    [
      'what was asked for',
      { requested: parseBase('ubuntu@22.04'), charmBases: bases('ubuntu@20.04', 'ubuntu@22.04') },
      'ubuntu@22.04',
    ],
    [
      'the request over the model',
      { requested: parseBase('ubuntu@22.04'), modelDefault: parseBase('ubuntu@20.04') },
      'ubuntu@22.04',
    ],
    [
      "the model's default",
      { modelDefault: parseBase('ubuntu@20.04'), charmBases: bases('ubuntu@24.04', 'ubuntu@20.04') },
      'ubuntu@20.04',
    ],
    [
      'the default LTS when the charm has it',
      { charmBases: bases('ubuntu@20.04', 'ubuntu@24.04') },
      'ubuntu@24.04',
    ],
    [
      'else the first of the charm that is supported',
      { charmBases: bases('ubuntu@25.04', 'ubuntu@22.04', 'ubuntu@20.04') },
      'ubuntu@22.04',
    ],
    ['the default for a charm that says nothing', {}, 'ubuntu@24.04'],
    [
      'the one of the charm’s that the cloud has, rather than the default',
      { charmBases: bases('ubuntu@24.04', 'debian@12'), available: bases('debian@12') },
      'debian@12',
    ],
    [
      'the default, where the cloud has it too',
      {
        charmBases: bases('debian@12', 'ubuntu@24.04'),
        available: bases('debian@12', 'ubuntu@24.04'),
      },
      'ubuntu@24.04',
    ],
    [
      'the first in the charm’s order of those that the cloud has',
      {
        charmBases: bases('ubuntu@20.04', 'ubuntu@22.04', 'debian@12'),
        available: bases('debian@12', 'ubuntu@22.04'),
      },
      'ubuntu@22.04',
    ],
    [
      'the same release at another risk, which the cloud has',
      { charmBases: bases('ubuntu@24.04', 'ubuntu@22.04/edge'), available: bases('ubuntu@22.04') },
      'ubuntu@22.04/edge',
    ],
    [
      'the default as ever, where the cloud has none of the charm’s',
      { charmBases: bases('ubuntu@22.04', 'ubuntu@24.04'), available: bases('debian@12') },
      'ubuntu@24.04',
    ],
    [
      'the first that the cloud has and Juju supports, for a charm or machine that says nothing',
      { available: bases('debian@11', 'debian@12', 'ubuntu@22.04') },
      'debian@12',
    ],
    [
      'the default for a charm that says nothing, where the cloud has nothing that is supported',
      { available: bases('debian@11') },
      'ubuntu@24.04',
    ],
    [
      'what was asked for, whatever the cloud has',
      {
        requested: parseBase('ubuntu@22.04'),
        charmBases: bases('ubuntu@22.04', 'debian@12'),
        available: bases('debian@12'),
      },
      'ubuntu@22.04',
    ],
    [
      'the model’s default, whatever the cloud has',
      {
        modelDefault: parseBase('ubuntu@22.04'),
        charmBases: bases('ubuntu@22.04', 'debian@12'),
        available: bases('debian@12'),
      },
      'ubuntu@22.04',
    ],
    [
      'a forced base that the charm lacks',
      { requested: parseBase('ubuntu@20.04'), charmBases: bases('ubuntu@22.04'), force: true },
      'ubuntu@20.04',
    ],
    [
      'an explicit one with an image of its own',
      { requested: parseBase('ubuntu@22.04'), imageId: 'i' },
      'ubuntu@22.04',
    ],
    [
      'the same release at another risk',
      { requested: parseBase('ubuntu@22.04/edge'), charmBases: bases('ubuntu@22.04') },
      'ubuntu@22.04/edge',
    ],
  ])('%s', (_, given, expected) => expect(formatBase(chooseBase(choice(given)))).toBe(expected));

  test.each<[string, Partial<BaseChoice>, RegExp]>([
    [
      'a base that the charm lacks',
      { requested: parseBase('ubuntu@20.04'), charmBases: bases('ubuntu@22.04', 'ubuntu@24.04') },
      /^base "ubuntu@20.04" is not supported by the charm, supported bases are: ubuntu@22.04, ubuntu@24.04$/,
    ],
    [
      "a model's default that the charm lacks",
      { modelDefault: parseBase('ubuntu@20.04'), charmBases: bases('ubuntu@22.04') },
      /^base "ubuntu@20.04" is not supported by the charm, supported bases are: ubuntu@22.04$/,
    ],
    [
      'an image of one’s own without a base, whatever the model says',
      { imageId: 'i', modelDefault: parseBase('ubuntu@22.04'), charmBases: bases('ubuntu@22.04') },
      /^base must be explicitly provided when image-id constraint is used; the charm supports: ubuntu@22.04$/,
    ],
    [
      'an unknown base, even by force',
      { requested: parseBase('ubuntu@99.04'), force: true },
      /^base "ubuntu@99.04" is not supported, supported bases are: .*ubuntu@24.04/,
    ],
    [
      'a charm of old bases only',
      { charmBases: bases('ubuntu@14.04') },
      /^none of the charm's bases is supported: ubuntu@14.04; supported/,
    ],
  ])('%s is refused', (_, given, message) => expect(() => chooseBase(choice(given))).toThrow(message));
});
