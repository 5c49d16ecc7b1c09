import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { isUserName, userId } from './document.ts';

test.each(['bob', 'B', 'a.b+c-d', '3po', 'b'.repeat(limits.userName.max)])(
  'the name %s is accepted for a user',
  (name) => {
    expect(isUserName(name)).toBe(true);
  },
);

test.each(['', '-bob', 'bob.', 'bob@external', 'b b', 'bob\n', 'b_b', 'b'.repeat(limits.userName.max + 1)])(
  'the name %j is refused for a user',
  (name) => {
    expect(isUserName(name)).toBe(false);
  },
);

test('the id of a user does not depend on the case of the name', () => {
  expect(['Bob', 'bob@local', 'BOB'].map(userId)).toEqual(['bob', 'bob', 'bob']);
});
