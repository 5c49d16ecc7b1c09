import { expect, test } from 'vitest';
import { readYaml } from './read-yaml.ts';

const read = (text: string): unknown[] => readYaml(text, { aliasesMax: 100 });

test.each<[string, string, unknown[]]>([
  ['nothing', '', []],
  ['documents', 'a: 1\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
  ['aliases', 'x: &x [1]\ny: *x', [{ x: [1], y: [1] }]],
  ['merged maps', 'x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}', [{ x: { a: 1, b: 2 }, y: { a: 1, b: 3 } }]],
  [
    'two merged maps',
    'x: &x {a: 1}\ny: &y {b: 2}\nz: {<<: [*x, *y]}',
    [{ x: { a: 1 }, y: { b: 2 }, z: { a: 1, b: 2 } }],
  ],
])('%s', (_, text, documents) => {
  expect(read(text)).toEqual(documents);
});

test.each([
  ['no YAML', 'a: [', /Flow sequence/],
  ['a key twice', 'a: {b: 1, c: 2, b: 3}', /^the key "b" is there twice in one map$/],
  ['an alias of nothing', 'a: *b', /Unresolved alias/],
  ['an alias of itself', 'a: &a [*a]', /^the alias \*a is of what it is in$/],
  ['a bomb', bomb(), /Excessive alias count/],
  ['brackets too deep', '['.repeat(1_000_000), /too deep/],
  ['lists too deep', '- '.repeat(500_000), /too deep/],
])('%s is refused, in one line', (_, text, why) => {
  expect(() => read(text)).toThrow(why);
  expect(() => read(text)).not.toThrow('\n');
});

test('__proto__ is a key', () => {
  const [value] = read('__proto__: {a: 1}\n');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value as object)).toEqual(['__proto__']);
});

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 10; i++)
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  return lines.join('\n');
}
