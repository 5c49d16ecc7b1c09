import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from './yaml/write.ts';
import { visible, visibleLine } from './visible.ts';

describe('untrusted text', () => {
  test.each([
    ['plain text, ünïcödé 你好 🎉', 'plain text, ünïcödé 你好 🎉'],
    ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
    ['of\r\nWindows', 'of\nWindows'],
    ['red \x1b[31mtext\x1b[0m', 'red \\u001b[31mtext\\u001b[0m'],
    ['title \x1b]0;owned\x07', 'title \\u001b]0;owned\\u0007'],
    ['8 bits \x9b31m', '8 bits \\u009b31m'],
    ['over\rwritten\r\nonce', 'over\nwritten\nonce'],
    ['back\bspace\x7f', 'back\\u0008space\\u007f'],
    ['turned \u202etxet', 'turned \\u202etxet'],
    ['isolated \u2066x\u2069', 'isolated \\u2066x\\u2069'],
    ['line\u2028end', 'line\\u2028end'],
  ])('%j is shown as %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test('untrusted text is one line where only one is allowed', () => {
    expect(visibleLine('  first \n\n second\r\rover\r\n\x1b[2Jthird\n')).toBe(
      'first second over \\u001b[2Jthird',
    );
  });
});

test('JSON and YAML texts have the same meaning after control characters are escaped', () => {
  const value = {
    a: 'x\x9b31m',
    b: '\x1b[31m',
    c: 'a \u202e b',
    d: 'two\nlines\x7f',
    '\u202ekey': 'e',
    f: 'g\rh\r\ni',
  };
  expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value);
  expect(parse(visible(toYaml(value)))).toEqual(value);
});
