import { expect, test } from 'vitest';
import { ignoreRules } from './jujuignore.ts';

test.each<[rules: string, ignored: string[], kept: string[]]>([
  ['*.log', ['a.log', 'logs/b.log'], ['a.log.txt']],
  ['/secret', ['secret'], ['src/secret']],
  ['docs/*.md', ['docs/a.md'], ['docs/a/b.md', 'src/docs/a.md']],
  ['**/cache/x', ['cache/x', 'a/b/cache/x'], ['cache/y']],
  ['a/**', ['a/b', 'a/b/c'], ['b/a']],
  ['*.txt\n!keep.txt', ['a.txt'], ['keep.txt']],
  ['# nothing\n\n  *.o  ', ['x.o'], ['# nothing']],
])('the rules %j of a .jujuignore file', (rules, ignored, expected) => {
  const isIgnored = ignoreRules(rules);
  expect(ignored.filter((path) => !isIgnored(path, 'file'))).toEqual([]);
  expect(expected.filter((path) => isIgnored(path, 'file'))).toEqual([]);
});

test('a rule of .jujuignore that ends in a slash matches folders only', () => {
  const isIgnored = ignoreRules('tests/');
  expect([isIgnored('tests', 'folder'), isIgnored('tests', 'file')]).toEqual([true, false]);
});
