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
])('parseBase of %s has channel %s and is shown as %s', (text, channel, shown) => {
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
])('%j is refused as a base', (text) =>
  expect(() => parseBase(text)).toThrow(expect.objectContaining({ code: 'not valid' })),
);

test('bases that differ only in the risk of their channel are the same', () => {
  expect(sameBase(parseBase('ubuntu@24.04'), parseBase('ubuntu@24.04/edge'))).toBe(true);
  expect(sameBase(parseBase('ubuntu@24.04'), parseBase('ubuntu@22.04'))).toBe(false);
  expect(sameBase(parseBase('debian@12'), parseBase('ubuntu@12'))).toBe(false);
});

test('a series is read as the base that it is the older name of', () => {
  expect(baseOfSeries('jammy')).toEqual(parseBase('ubuntu@22.04'));
  expect(baseOfSeries('warty')).toBeUndefined();
  expect(baseOfSeries('constructor')).toBeUndefined();
  expect(seriesOfBase(parseBase('ubuntu@24.04/edge'))).toBe('noble');
  expect(seriesOfBase(parseBase('ubuntu@99.04'))).toBe('');
});

test('interim releases are known bases, and not supported ones', () => {
  expect(isSupportedBase(baseOfSeries('plucky')!)).toBe(false);
  expect(isSupportedBase(parseBase('ubuntu@26.04'))).toBe(true);
});

describe('chooseBase', () => {
  const bases = (...texts: string[]) => texts.map(parseBase);
  const choice = (given: Partial<BaseChoice>): BaseChoice => ({ charmBases: [], force: false, ...given });

  test.each<[string, Partial<BaseChoice>, string]>([
    [
      'the requested base',
      { requested: parseBase('ubuntu@22.04'), charmBases: bases('ubuntu@20.04', 'ubuntu@22.04') },
      'ubuntu@22.04',
    ],
    [
      'the requested base rather than the model’s default',
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
      'the first supported base of the charm when it lacks the default LTS',
      { charmBases: bases('ubuntu@25.04', 'ubuntu@22.04', 'ubuntu@20.04') },
      'ubuntu@22.04',
    ],
    ['the default for a charm that names no base', {}, 'ubuntu@24.04'],
    [
      'the charm’s base that the cloud has rather than the default',
      { charmBases: bases('ubuntu@24.04', 'debian@12'), available: bases('debian@12') },
      'debian@12',
    ],
    [
      'the default where the cloud has it too',
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
      'the same release at another risk that the cloud has',
      { charmBases: bases('ubuntu@24.04', 'ubuntu@22.04/edge'), available: bases('ubuntu@22.04') },
      'ubuntu@22.04/edge',
    ],
    [
      'the default where the cloud has none of the charm’s bases',
      { charmBases: bases('ubuntu@22.04', 'ubuntu@24.04'), available: bases('debian@12') },
      'ubuntu@24.04',
    ],
    [
      'the first supported base of the cloud for a charm or machine that names none',
      { available: bases('debian@11', 'debian@12', 'ubuntu@22.04') },
      'debian@12',
    ],
    [
      'the default for a charm that names none where the cloud has no supported base',
      { available: bases('debian@11') },
      'ubuntu@24.04',
    ],
    [
      'the requested base whatever the cloud has',
      {
        requested: parseBase('ubuntu@22.04'),
        charmBases: bases('ubuntu@22.04', 'debian@12'),
        available: bases('debian@12'),
      },
      'ubuntu@22.04',
    ],
    [
      'the model’s default whatever the cloud has',
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
      'an explicit base with a custom image',
      { requested: parseBase('ubuntu@22.04'), imageId: 'i' },
      'ubuntu@22.04',
    ],
    [
      'the same release at another risk',
      { requested: parseBase('ubuntu@22.04/edge'), charmBases: bases('ubuntu@22.04') },
      'ubuntu@22.04/edge',
    ],
  ])('chooseBase returns %s', (_, given, expected) =>
    expect(formatBase(chooseBase(choice(given)))).toBe(expected),
  );

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
      'a custom image without a base, whatever the model’s default is',
      { imageId: 'i', modelDefault: parseBase('ubuntu@22.04'), charmBases: bases('ubuntu@22.04') },
      /^base must be explicitly provided when image-id constraint is used; the charm supports: ubuntu@22.04$/,
    ],
    [
      'an unknown base, also with force',
      { requested: parseBase('ubuntu@99.04'), force: true },
      /^base "ubuntu@99.04" is not supported, supported bases are: .*ubuntu@24.04/,
    ],
    [
      'a charm with old bases only',
      { charmBases: bases('ubuntu@14.04') },
      /^none of the charm's bases is supported: ubuntu@14.04; supported/,
    ],
  ])('chooseBase refuses %s', (_, given, message) =>
    expect(() => chooseBase(choice(given))).toThrow(message),
  );
});
