import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { FormTokens } from './form-tokens.ts';

test('a form token is taken once, within five minutes', () => {
  let now = 1000;
  const tokens = new FormTokens({ now: () => now });
  const token = tokens.issue('bob');
  expect(token).toMatch(/^[0-9a-f]{24}$/);
  expect(tokens.take(token)).toEqual({ user: 'bob', issuedAt: 1000 });
  expect(tokens.take(token)).toBeUndefined();
  const late = tokens.issue('bob');
  now += 300_000;
  expect(tokens.take(late)).toBeUndefined();
});

test('the oldest form token goes where there are too many', () => {
  const tokens = new FormTokens({ now: () => 0 });
  const [first, second] = [tokens.issue('bob'), tokens.issue('bob')];
  for (let i = 0; i < limits.formTokens.max - 1; i++) tokens.issue('eve');
  expect(tokens.take(first)).toBeUndefined();
  expect(tokens.take(second)).toBeDefined();
});
