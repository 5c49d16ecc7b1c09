import { describe, expect, test } from 'vitest';
import {
  allBindings,
  bindingsOf,
  boundSpace,
  checkBindings,
  checkExcluded,
  mergeBindings,
  returnedBindings,
} from './bindings.ts';

const endpoint = (name: string) => ({
  name,
  role: 'requirer' as const,
  interface: 'x',
  scope: 'global' as const,
  limit: 0,
  optional: false,
});
const charm = {
  name: 'app',
  endpoints: { db: endpoint('db'), web: endpoint('web') },
  extraBindings: ['admin'],
};
const spaces = { has: (name: string) => ['alpha', 'dmz', 'data'].includes(name), fallback: 'dmz' };

test.each([
  ['nothing is bound: the model decides', {}, { '': 'dmz' }],
  ['a default', { '': 'data' }, { '': 'data' }],
  ['one endpoint', { db: 'data' }, { '': 'dmz', db: 'data' }],
  ['an endpoint to the default', { '': 'data', db: '' }, { '': 'data', db: 'data' }],
  ['an extra binding', { admin: 'alpha' }, { '': 'dmz', admin: 'alpha' }],
])('a deploy binds endpoints: %s', (_name, given, bound) => {
  expect(checkBindings(given, charm, spaces)).toEqual(bound);
});

test('an endpoint without a space of its own has the default one; names of object members are no endpoints', () => {
  const bindings = { '': 'dmz', db: 'data' };
  expect(['db', 'web', 'constructor', ''].map((name) => boundSpace(bindings, name))).toEqual([
    'data',
    'dmz',
    'dmz',
    'dmz',
  ]);
  expect(boundSpace({}, 'db')).toBe('alpha');
  expect(allBindings(bindings, charm)).toEqual({ '': 'dmz', db: 'data', web: 'dmz', admin: 'dmz' });
});

describe('a change of bindings', () => {
  test.each([
    ['of one endpoint keeps the others', { '': 'alpha' }, { db: 'data' }, { '': 'alpha', db: 'data' }],
    [
      'of the default moves who has it',
      { '': 'alpha', db: 'data' },
      { '': 'dmz' },
      { '': 'dmz', db: 'data' },
    ],
    [
      'of the default moves who is bound to the same space',
      { '': 'alpha', db: 'alpha' },
      { '': 'dmz' },
      { '': 'dmz' },
    ],
    ['back to the default leaves nothing', { '': 'alpha', db: 'data' }, { db: 'alpha' }, { '': 'alpha' }],
    [
      'of both',
      { '': 'alpha', db: 'data' },
      { '': 'dmz', web: 'alpha' },
      { '': 'dmz', db: 'data', web: 'alpha' },
    ],
    ['forgets endpoints that the charm has no more', { '': 'alpha', old: 'data' }, {}, { '': 'alpha' }],
  ])('%s', (_name, current, change, merged) => {
    expect(mergeBindings(current, change, charm, spaces)).toEqual(merged);
  });

  test.each([
    [{ nope: 'data' }, 'endpoint "nope" not found'],
    [{ db: 'nowhere' }, 'space "nowhere" not found'],
    [{ '': 'nowhere' }, 'space "nowhere" not found'],
  ])('%j is refused', (change, message) => {
    expect(() => mergeBindings({ '': 'alpha' }, change, charm, spaces)).toThrow(message);
  });
});

describe('endpoints that only an older charm has', () => {
  const older = { name: 'app', endpoints: { old: endpoint('old') }, extraBindings: ['gone'] };

  test.each([
    [
      'keep their spaces',
      { '': 'alpha', old: 'data', gone: 'dmz' },
      {},
      { '': 'alpha', old: 'data', gone: 'dmz' },
    ],
    ['follow the default', { '': 'alpha', gone: 'data' }, { '': 'dmz' }, { '': 'dmz', gone: 'data' }],
  ])('%s', (_name, current, change, merged) => {
    expect(mergeBindings(current, change, charm, spaces, [older])).toEqual(merged);
  });

  test('cannot be bound any more', () => {
    expect(() => mergeBindings({ '': 'alpha' }, { old: 'data' }, charm, spaces, [older])).toThrow(
      'endpoint "old" not found',
    );
  });

  test('lose their bindings when no unit runs that charm', () => {
    const bindings = { '': 'alpha', db: 'data', old: 'data' };
    expect(bindingsOf(bindings, [charm, older])).toBe(bindings);
    expect(bindingsOf(bindings, [charm])).toEqual({ '': 'alpha', db: 'data' });
  });

  test('keep their spaces in a rollback, whatever the default space that it returns to', () => {
    const before = { '': 'dmz', db: 'alpha' };
    const now = { '': 'alpha', old: 'data', db: 'data' };
    expect(returnedBindings(before, now, { charm, leaves: [older, charm] })).toEqual({
      '': 'dmz',
      db: 'alpha',
      old: 'data',
      gone: 'alpha',
    });
  });
});

test('an endpoint is not bound to a space that the constraints exclude', () => {
  const bindings = { '': 'alpha', db: 'data' };
  expect(() => checkExcluded(bindings, { spaces: ['dmz', '^data'] })).toThrow(
    'negative space constraint "data" conflicts with endpoint bindings',
  );
  checkExcluded(bindings, { spaces: ['^dmz', '^alpha', 'data'] });
});
