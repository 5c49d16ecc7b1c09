import { expect, test } from 'vitest';
import { matchOutput, partsOf, withWords } from './match-output.ts';

const table =
  'Revision  By          Change\n6         user admin  unit web/0: created (on 0)\n7  machine 0  gone\n';

test.each<[readonly string[], ReturnType<typeof matchOutput>]>([
  [[], { words: {} }],
  [['Revision By', 'user admin unit web/0: created (on 0)', 'gone'], { words: {} }],
  [['{revision} user {who} unit'], { words: { revision: '6', who: 'admin' } }],
  [['gone', 'created'], { missing: `"created" is not after that in its output:\n${table}` }],
  [['web.0'], { missing: `"web.0" is not in its output:\n${table}` }],
  [['Change 6'], { missing: `"Change 6" is not in its output:\n${table}` }],
  [['chine 0 go'], { words: {} }],
  [['mach 0'], { missing: `"mach 0" is not in its output:\n${table}` }],
  [['ne 0 g{end}'], { words: { end: 'one' } }],
  [['web/{unit}: created'], { words: { unit: '0' } }],
  [['(on {machine})'], { words: { machine: '0' } }],
  [['{machine})'], { words: { machine: '0' } }],
  [['user {who} unit web/{number}: created'], { words: { who: 'admin', number: '0' } }],
  [['machine 0{more} gone'], { missing: `"machine 0{more} gone" is not in its output:\n${table}` }],
  [[''], { words: {} }],
])('expected output: %j', (lines, match) => {
  expect(matchOutput(lines, table)).toEqual(match);
});

test('words that were found replace their names in a text', () => {
  expect(withWords('--at=$revision $MODEL $else', { revision: '6', MODEL: 'm' })).toBe('--at=6 m $else');
  expect(withWords('$constructor $toString', {})).toBe('$constructor $toString');
});

test('a word of expected output has at most one placeholder', () => {
  expect(() => partsOf('{a}-{b}')).toThrow('"{a}-{b}" has two placeholders');
});
