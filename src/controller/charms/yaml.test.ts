import { expect, test } from 'vitest';
import { parseCharmYaml } from './yaml.ts';

test.each([
  ['a: yes', { a: true }],
  [
    'options: {n: {type: int}, on: {default: off}}',
    { options: { n: { type: 'int' }, on: { default: false } } },
  ],
  ['1: one', { 1: 'one' }],
  ['at: 12:30:00', { at: '12:30:00' }],
  ['a: &x {b: 1}\nc: {<<: *x, d: 2}', { a: { b: 1 }, c: { b: 1, d: 2 } }],
  ['', null],
])('%j', (text, value) => {
  expect(parseCharmYaml(text, 'config.yaml')).toEqual(value);
});

test('what is no YAML is refused by the name of its file', () => {
  expect(() => parseCharmYaml('a: [', 'config.yaml')).toThrow(/^config\.yaml: /);
});

test('a bomb of aliases is refused', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < 9; n++)
    lines.push(
      `a${n}: &a${n} [${Array(10)
        .fill(`*a${n - 1}`)
        .join(', ')}]`,
    );
  expect(() => parseCharmYaml(lines.join('\n'), 'metadata.yaml')).toThrow(/alias/);
});
