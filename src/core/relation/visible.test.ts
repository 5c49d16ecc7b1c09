import { expect, test } from 'vitest';
import { containerOf, takesPart } from './visible.ts';

test("containerOf is the principal's unit", () => {
  expect(containerOf({ name: 'w/0' }, 'container')).toBe('w/0');
  expect(containerOf({ name: 'log/0', principal: 'w/0' }, 'container')).toBe('w/0');
  expect(containerOf({ name: 'log/0', principal: 'w/0' }, 'global')).toBe('');
});

test.each([
  ['a principal', { scope: 'container' }, true],
  ['a subordinate with its principal', { scope: 'container', principalApplication: 'wordpress' }, true],
  ['a subordinate with another principal', { scope: 'container', principalApplication: 'mysql' }, false],
  [
    'a subordinate with a subordinate',
    { scope: 'container', principalApplication: 'mysql', remoteSubordinate: true },
    true,
  ],
  ['a subordinate in a global relation', { scope: 'global', principalApplication: 'mysql' }, true],
] as const)('%s takes part in a relation of its application: %j %s', (_, unit, expected) => {
  expect(takesPart({ remoteApplication: 'wordpress', remoteSubordinate: false, ...unit })).toBe(expected);
});
