import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { isThorough } from '../../testing/thorough.ts';
import { charmYaml, readYaml, readYamlValue } from './read.ts';

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
])('YAML is read: %s', (_, text, documents) => {
  expect(readYaml(text)).toEqual(documents);
});

test.each([
  ['no YAML', 'a: [', /Flow sequence/],
  ['a key twice', 'a: {b: 1, c: 2, b: 3}', /^the key "b" is listed twice in one map at line 1$/],
  ['an alias of nothing', 'x: 1\na: *b', /^the alias \*b is of nothing at line 2: set &b before it$/],
  [
    'an alias before its anchor',
    'a: *b\nb: &b 1',
    /^the alias \*b is of nothing at line 1: set &b before it$/,
  ],
  ['an alias of itself', 'a: &a [*a]', /^the alias \*a is of what it is in at line 1$/],
  [
    'a bomb',
    bomb(),
    /^aliases of what has aliases itself stand for more than 100 values at line 3: write them out$/,
  ],
  ['more than the aliases allowed', `x: &x 1\ny: [${'*x, '.repeat(101)}]`, /more than 100 aliases/],
])('YAML with %s is refused with a message of one line', (_, text, why) => {
  expect(() => readYaml(text)).toThrow(why);
  expect(() => readYaml(text)).not.toThrow('\n');
});

test('the last value of a key that is listed twice counts in a charm’s files', () => {
  expect(readYamlValue('a: {b: 1, c: 2, b: 3}\na: {b: 4}', charmYaml)).toEqual({ a: { b: 4 } });
});

test('the key __proto__ is an ordinary key', () => {
  const [value] = readYaml('__proto__: {a: 1}\n');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value as object)).toEqual(['__proto__']);
});

const letters = (count: number): string => `a: "${'x'.repeat(count - 5)}"`;
const items = (count: number): string => '\n'.repeat(count);

test.each([
  ['yamlBytes', letters(limits.yamlBytes.max), letters(limits.yamlBytes.max + 1)],
  // The lexer's own tokens at the beginning and end count too.
  ['yamlMarks', items(limits.yamlMarks.max - 10), items(limits.yamlMarks.max + 1)],
  ['yamlDepth', nested(limits.yamlDepth.max), nested(limits.yamlDepth.max + 1)],
])('%s: a text at the limit is read, and a text above it is refused with the limit', (name, at, above) => {
  const { of, max } = limits[name as 'yamlBytes'];
  readYaml(at);
  expect(() => readYaml(above)).toThrow(`${of}: `);
  expect(() => readYaml(above)).toThrow(`exceed the limit of ${max}`);
});

// Reading 16 MiB takes ten seconds.
test.runIf(isThorough)(
  'a bundle that a client reads may have limits.bundleBytes and limits.bundleMarks',
  () => {
    const { bundleBytes: bytes, bundleMarks: marks } = limits;
    const size = { bytes, marks };
    readYaml(letters(bytes.max), { size });
    expect(() => readYaml(letters(bytes.max + 1), { size })).toThrow(
      `${bytes.of}: ${bytes.max + 1} bytes exceed the limit of ${bytes.max}`,
    );
    // The text is refused at the first token above the limit, so those at the limit were read.
    expect(() => readYaml(items(marks.max + 100), { size })).toThrow(
      `${marks.of}: ${marks.max + 1} entries exceed the limit of ${marks.max}`,
    );
  },
);

test.each<[string, unknown]>([
  ['a: yes', { a: true }],
  [
    'options: {n: {type: int}, on: {default: off}}',
    { options: { n: { type: 'int' }, on: { default: false } } },
  ],
  ['1: one', { 1: 'one' }],
  ['at: 12:30:00', { at: '12:30:00' }],
  ['on: 2026-01-02', { on: '2026-01-02' }],
  ['serial: 01182252', { serial: '01182252' }],
  ['mode: [0644, 0o644, 0x1f, 1_000]', { mode: [420, 420, 31, 1000] }],
  ['a: &x {b: 1}\nc: {<<: *x, d: 2}', { a: { b: 1 }, c: { b: 1, d: 2 } }],
  ['a: !!binary aGVsbG8=', { a: 'hello' }],
  ['a: !!binary |\n  aGVs\n  bG8=\n', { a: 'hello' }],
  ['', undefined],
])('%j is read as Juju reads it', (text, value) => {
  expect(readYamlValue(text, { dialect: 'juju' })).toEqual(value);
});

test.each(['1.2', 'juju', 'texts'] as const)('!!binary is text in the dialect %s', (dialect) => {
  expect(readYamlValue('a: !!binary aMO2Cg==', { dialect })).toEqual({ a: 'hö\n' });
});

test('a !!binary that is not base64 is refused', () => {
  expect(() => readYamlValue('a: !!binary "%"', { dialect: 'juju' })).toThrow('invalid base64');
});

test('the dialect of texts keeps zeros, booleans and quoted nulls as written', () => {
  const text = 'a: 0644\nb: yes\nc: ~\nd:\ne: "null"\nf: 1.50';
  expect(readYamlValue(text, { dialect: 'texts' })).toEqual({
    a: '0644',
    b: 'yes',
    c: null,
    d: null,
    e: 'null',
    f: '1.50',
  });
});

/**
 * Texts that grow with n. Quadratic reading takes minutes at a megabyte and linear reading a second at most, so a limit
 * of ten seconds is safe.
 */
const hostile: Readonly<Record<string, (n: number) => string>> = {
  keys: (n) => Array.from({ length: n / 10 }, (_, i) => `k${i}: ${i}\n`).join(''),
  'keys in a row': (n) => `{${Array.from({ length: n / 10 }, (_, i) => `k${i}: ${i}`).join(', ')}}`,
  brackets: (n) => '['.repeat(n),
  'closing brackets': (n) => ']'.repeat(n),
  'lists in each other': (n) => '- '.repeat(n / 2),
  'questions in each other': (n) => '? '.repeat(n / 2),
  anchors: (n) => '&a '.repeat(n / 3),
  tags: (n) => '!a '.repeat(n / 3),
  aliases: (n) => `a: &a 1\nb: [${'*a,'.repeat(n / 3)}]`,
  documents: (n) => '---\n'.repeat(n / 4),
  directives: (n) => '%a\n'.repeat(n / 3),
  comments: (n) => '# x\n'.repeat(n / 4),
  'empty lines': (n) => '\n'.repeat(n),
  spaces: (n) => `a:${' '.repeat(n)}b`,
  'lines of a quoted text': (n) => `a: "${'x\n'.repeat(n / 2)}"`,
  'lines of a plain text': (n) => `a: b${'\n  b'.repeat(n / 4)}`,
  'lines of a folded text': (n) => `a: >\n${'  x\n   y\n'.repeat(n / 9)}`,
  escapes: (n) => `a: "${'\\n'.repeat(n / 2)}"`,
  binary: (n) => `a: !!binary ${'A'.repeat(n - 1)}%`,
  zeros: (n) => `a: ${'0'.repeat(n)}x`,
  digits: (n) => `a: ${'1_'.repeat(n / 2)}x`,
  'digits and colons': (n) => `a: ${'1:'.repeat(n / 2)}x`,
};

test.each(Object.entries(hostile))('%s: a megabyte is read or refused at linear cost', (_, make) => {
  const text = make(limits.yamlBytes.max - 100);
  const before = process.cpuUsage();
  try {
    readYaml(text, { dialect: 'juju' });
  } catch (error) {
    expect((error as Error).message.length).toBeLessThan(1000);
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(10_000);
});

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

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
