import { expect, test } from 'vitest';
import { globMatcher } from './glob.ts';
import { limits } from './limits.ts';

test.each<[pattern: string, yes: string[], no: string[]]>([
  ['mysql', ['mysql'], ['mysql2', 'amysql', '']],
  ['mysql/*', ['mysql/0', 'mysql/10'], ['mysql', 'mysql/0/1']],
  ['*', ['mysql', ''], ['mysql/0']],
  ['*/?', ['mysql/0'], ['mysql/10', '/0/']],
  ['m*l*', ['mysql', 'ml', 'mallory'], ['m', 'lm']],
  ['*a*b', ['ab', 'aab', 'xaxbxb'], ['ba', 'abx']],
  ['db-[0-2x]', ['db-0', 'db-2', 'db-x'], ['db-3', 'db-', 'db--']],
  ['db-[^0-2]', ['db-3'], ['db-1', 'db-/']],
  ['[]]', [']'], ['[']],
  ['a.b+(c)$', ['a.b+(c)$'], ['axb+(c)$']],
  ['a\\*', ['a*'], ['ab']],
  ['80/tcp', ['80/tcp'], ['80']],
])('the pattern %s matches as in paths', (pattern, yes, no) => {
  const matches = globMatcher(pattern);
  expect(yes.filter((text) => !matches(text))).toEqual([]);
  expect(no.filter(matches)).toEqual([]);
});

test('an unclosed bracket is refused', () => {
  expect(() => globMatcher('db-[0-2')).toThrow('has a bracket that is not closed');
});

test('a pattern at limits.globLength is accepted, a longer one is refused', () => {
  const { max } = limits.globLength;
  expect(globMatcher('a'.repeat(max))('a'.repeat(max))).toBe(true);
  expect(() => globMatcher('a'.repeat(max + 1))).toThrow(`exceed the limit of ${max}`);
});
