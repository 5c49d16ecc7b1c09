import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { checkAfter, closedGates, gateWords, healthOf, type Gates } from './gate.ts';

const gates: Gates = {
  redis: { health: 'workload-message=="up"' },
  db: { health: 'active' },
  vault: { health: 'active', opened: '2026-01-01T00:00:00.000Z' },
};

test('gates without an expression wait for active', () => {
  expect(checkAfter('web', { db: '', cache: 'active', queue: 'workload-status!="blocked"' })).toEqual({
    db: 'active',
    cache: 'active',
    queue: 'workload-status!="blocked"',
  });
});

describe('gates are refused', () => {
  const many = Object.fromEntries(Array.from({ length: limits.gates.max + 1 }, (_, n) => [`a${n}`, '']));
  const { a0: _, ...most } = many;
  const long = `name=="${'a'.repeat(limits.rolloutCondition.max)}"`;
  test.each([
    ['of the application itself', { web: '' }, 'web cannot wait for itself'],
    ['of what is no name of an application', { Db: '' }, 'invalid application name "Db"'],
    ['of a broken expression', { db: 'status==' }, 'cannot parse "status==" in the health of db'],
    ['of an attribute that units lack', { db: 'colour=="red"' }, 'in the health of db'],
    ['of a long expression', { db: long }, 'condition of a roll-out'],
    ['of too many applications', many, '51 entries exceed the limit of 50'],
  ])('%s', (_title, after, message) => {
    expect(() => checkAfter('web', after)).toThrow(message);
  });
  test('only beyond the number that is allowed', () => {
    expect(Object.keys(checkAfter('web', most))).toHaveLength(limits.gates.max);
  });
});

test('closed gates are by name, and opened ones are still what was asked for', () => {
  expect(closedGates(gates).map(gateWords)).toEqual([
    'db to be active',
    'redis to have workload-message=="up"',
  ]);
  expect(closedGates()).toEqual([]);
  expect(healthOf(gates)).toEqual({ redis: 'workload-message=="up"', db: 'active', vault: 'active' });
});
