import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { isUserName, userId } from './document.ts';

test.each(['bob', 'B', 'a.b+c-d', '3po', 'b'.repeat(limits.userName.max)])('%s may be a user', (name) => {
  expect(isUserName(name)).toBe(true);
});

test.each(['', '-bob', 'bob.', 'bob@external', 'b b', 'bob\n', 'b_b', 'b'.repeat(limits.userName.max + 1)])(
  '%j may not be a user',
  (name) => {
    expect(isUserName(name)).toBe(false);
  },
);

test('ids of users are the same whatever the case', () => {
  expect(['Bob', 'bob@local', 'BOB'].map(userId)).toEqual(['bob', 'bob', 'bob']);
});
