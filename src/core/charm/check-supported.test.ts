import { describe, expect, test } from 'vitest';
import { unmetAssumptions } from './assumes.ts';
import { checkSupported } from './check-supported.ts';
import { parseMetadata } from './metadata.ts';

const check = (raw: object, force = false): void =>
  checkSupported(parseMetadata({ name: 'x', ...raw }), force);

test.each<[string, object]>([
  ['none of these requirements', {}],
  ['an old minimum version', { 'min-juju-version': '2.9.0' }],
  ['assumptions that hold', { assumes: ['juju >= 3.1', 'juju < 4.0', { 'any-of': ['k8s-api', 'juju'] }] }],
  [
    'optional storage',
    {
      storage: {
        a: { type: 'filesystem', multiple: { range: '0-' } },
        b: { type: 'block', multiple: { range: '0-1' } },
        c: { type: 'block', multiple: { range: 0 } },
      },
    },
  ],
  ['optional devices', { devices: { gpu: { type: 'nvidia.com/gpu', countmin: 0 } } }],
])('a charm with %s is deployed', (_, raw) => expect(() => check(raw)).not.toThrow());

test.each<[string, object, string]>([
  [
    'a newer minimum version',
    { 'min-juju-version': '4.0.0' },
    "charm's min version (4.0.0) is higher than this juju model's version (3.6.28)",
  ],
  ['containers', { containers: { web: {}, log: {} } }, 'it has containers (web, log), which need'],
  ['devices', { devices: { gpu: { type: 'nvidia.com/gpu' } } }, 'it requires devices (gpu)'],
])('a charm that requires %s is refused, also by force', (_, raw, reason) => {
  for (const force of [false, true])
    expect(() => check(raw, force)).toThrow(
      expect.objectContaining({ code: 'not supported', message: expect.stringContaining(reason) as string }),
    );
});

test.each<[string, object, string]>([
  ['features', { assumes: ['k8s-api'] }, 'it assumes k8s-api, and this is juju 3.6.28'],
])('a charm that lacks %s is refused, and deployed by force', (_, raw, reason) => {
  expect(() => check(raw)).toThrow(reason);
  expect(() => check(raw, true)).not.toThrow();
});

test('the error of a refused charm offers force only where force helps', () => {
  expect(() => check({ assumes: ['k8s-api'] })).toThrow(/machines \(--force uses it despite this\)$/);
  expect(() => check({ assumes: ['k8s-api'], containers: { web: {} } })).toThrow(/^((?!--force).)*$/);
});

test('all reasons why a charm is refused are reported at once', () =>
  expect(() => check({ containers: { web: {} }, assumes: ['k8s-api'] })).toThrow(
    /^charm "x" cannot be used: it has containers .*; it assumes k8s-api/,
  ));

describe('unmetAssumptions', () => {
  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, []],
    ['a version that exists', ['juju >= 3.6.28'], []],
    ['a version that does not exist yet', ['juju >= 3.6.29'], ['juju >= 3.6.29']],
    ['a major version that does not exist yet', ['juju < 4'], []],
    [
      'a major version that is past',
      [{ 'any-of': ['juju < 3', 'juju >= 4'] }],
      ['any of (juju < 3, juju >= 4)'],
    ],
    ['a version that is past', ['juju < 3.6'], ['juju < 3.6']],
    ['all of several', [{ 'all-of': ['juju >= 3.1', 'k8s-api', 'gpu'] }], ['k8s-api', 'gpu']],
    [
      'any of several, nested',
      [{ 'any-of': ['k8s-api', { 'all-of': ['juju >= 4.0', 'juju < 5.0'] }] }],
      ['any of (k8s-api, juju >= 4.0)'],
    ],
    ['any of several, one of which holds', [{ 'any-of': [{ 'all-of': ['juju >= 3.0'] }, 'k8s-api'] }], []],
  ])('unmetAssumptions judges the assumption of %s', (_, assumes, expected) =>
    expect(unmetAssumptions(assumes)).toEqual(expected),
  );

  test.each([[['juju >= three']], [['juju = 3.1']], ['juju'], [[{ 'one-of': ['juju'] }]], [[7]]])(
    'assumptions %j are not valid',
    (assumes) => expect(() => unmetAssumptions(assumes)).toThrow(/^metadata: /),
  );
});
