import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { readYaml } from './read.ts';

const values = new Map([
  ['UNITS', '3'],
  ['NAME', 'web'],
  ['EMPTY', ''],
  ['NESTED', '${NAME}'],
  ['MANY', 'a: b\n- c'],
  ['LONG', 'x'.repeat(1_000)],
]);
const read = (text: string): unknown => readYaml(text, { variables: (name) => values.get(name) })[0];

test.each([
  ['n: ${UNITS}', { n: 3 }],
  ['n: "${UNITS}"', { n: '3' }],
  ['n: ${UNITS}0', { n: 30 }],
  ['n: ${NO:-true}', { n: true }],
  ['n: ${EMPTY:-x}', { n: 'x' }],
  ['n: "${EMPTY}"', { n: '' }],
  ['n: ${NO:-}', { n: null }],
  ['n: a ${NAME} and ${NAME}', { n: 'a web and web' }],
  ['n: |\n  port ${UNITS}\n', { n: 'port 3\n' }],
  ['[a, "${NAME}"]', ['a', 'web']],
  ['n: $${NAME} $NAME', { n: '${NAME} $NAME' }],
  ['${NAME}: 1', { '${NAME}': 1 }],
  ['n: ${NESTED}', { n: '${NAME}' }],
  ['n: ${MANY}', { n: 'a: b\n- c' }],
  ['a: &x "${NAME}"\nb: *x', { a: 'web', b: 'web' }],
])('%j with variables is %j', (text, value) => {
  expect(read(text)).toEqual(value);
});

test.each([
  ['a: 1\nn: ${NO}', 'the variable NO has no value at line 2: give it with --var NO=…'],
  ['n: ${a b}', '"${a b}" is not a variable at line 1: write $${ for a ${ that is to stay'],
  ['a:\n- b\n- x ${', 'a variable without its } at line 3'],
])('%j is refused: %s', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('values of variables that are too long together are refused', () => {
  const text = `- "${'${LONG}'.repeat(1_000)}"\n`.repeat(2);
  expect(() => read(text)).toThrow(limits.yamlBytes.of);
});

test('a text that is read without variables keeps what looks like one', () => {
  expect(readYaml('n: ${NAME}')[0]).toEqual({ n: '${NAME}' });
});
