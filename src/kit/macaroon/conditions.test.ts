import { describe, expect, test } from 'vitest';
import {
  checkConditions,
  declared,
  expiryOf,
  needDeclared,
  parseNeedDeclared,
  timeBefore,
} from './conditions.ts';
import { addCondition, mint } from './macaroon.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('checkConditions', () => {
  test.each<[string, readonly string[], Record<string, string>]>([
    ['no condition', [], {}],
    ['a time to come', [timeBefore(now + 1)], {}],
    ['a time with nanoseconds and a zone', ['time-before 2026-01-01T01:00:00.123456789+00:30'], {}],
    ['what is declared', [declared('username', 'bob'), declared('x', 'a b')], { username: 'bob', x: 'a b' }],
    ['what is declared twice in the same way', [declared('x', '1'), declared('x', '1')], { x: '1' }],
    ['a condition that the caller knows', ['known thing'], {}],
  ])('the conditions hold: %s', (_what, conditions, expected) => {
    const checked = checkConditions(conditions, { now, holds: (one) => one === 'known thing' });
    expect('declared' in checked && Object.fromEntries(checked.declared)).toEqual(expected);
  });

  test.each<[string, readonly string[], string]>([
    ['a time that has come', [timeBefore(now)], 'macaroon has expired'],
    ['one expired among two times', [timeBefore(now + 5), timeBefore(now - 5)], 'macaroon has expired'],
    ['a time that is none', ['time-before tomorrow'], '"time-before tomorrow" has no time'],
    ['a time without a date that exists', ['time-before 2026-13-01T00:00:00Z'], 'has no time'],
    ['two declarations that differ', [declared('u', 'a'), declared('u', 'b')], '"u" is declared in two ways'],
    ['a condition that nobody knows', ['allow read'], 'condition "allow" does not hold'],
    ['an empty condition', [''], 'condition "" does not hold'],
  ])('the conditions do not hold: %s', (_what, conditions, reason) => {
    const checked = checkConditions(conditions, { now });
    expect('refusal' in checked && checked.refusal).toContain(reason);
  });
});

test('the names that a third party has to declare are read from a caveat as they were written', () => {
  expect(parseNeedDeclared(needDeclared(['username', 'x'], 'is-authenticated-user bob'))).toEqual({
    names: ['username', 'x'],
    condition: 'is-authenticated-user bob',
  });
  expect(parseNeedDeclared('plain thing')).toEqual({ names: [], condition: 'plain thing' });
});

test('a slice of macaroons expires with the first of them, or never', () => {
  const plain = mint({ rootKey: Buffer.alloc(24), id: Buffer.from('x') });
  const until = (time: number) => addCondition(plain, timeBefore(time));
  expect(expiryOf([plain])).toBeUndefined();
  expect(expiryOf([until(5000), until(3000), plain])).toBe(3000);
});
