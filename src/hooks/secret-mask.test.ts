import { expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { SecretMask } from './secret-mask.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const masking = (...values: string[]): SecretMask => {
  const mask = new SecretMask();
  for (const value of values) mask.add({ value: base64(value) });
  return mask;
};

test.each<[string, string[], string, string]>([
  ['nothing is hidden before a secret is read', [], 'password s3cret', 'password s3cret'],
  ['a value', ['s3cret'], 'password s3cret, again s3cret.', 'password *****, again *****.'],
  ['the longest of several', ['s3cret', 's3cret-two', 's3c'], 'a s3cret-two', 'a *****'],
  ['each line of a value', ['one line\n  other line\n'], 'key: |\n  other line', 'key: |\n  *****'],
  ['a value in base64', ['s3cret'], `it is ${base64('s3cret')}`, 'it is *****'],
  ['a value in JSON', ['say "it"'], '{"a":"say \\"it\\""}', '{"a":"*****"}'],
  ['no short value in a line', ['no'], 'no, not now', 'no, not now'],
])('%s', (_, values, text, expected) => {
  expect(masking(...values).hide(text)).toBe(expected);
});

test('the texts of an output are hidden, and whole ones that have a short value', () => {
  const output = { stdout: 'got s3cret\n', nested: { list: ['s3cret', 'ab?'] }, 'return-code': 0 };
  expect(masking('s3cret', 'ab').hideIn(output)).toEqual({
    stdout: 'got *****\n',
    nested: { list: ['*****', '(hidden: it may have contents of secrets)'] },
    'return-code': 0,
  });
});

test('over limits.secretMask nothing is shown', () => {
  const mask = masking('x'.repeat(limits.secretMask.max / 2), `y${'x'.repeat(limits.secretMask.max / 2)}`);
  expect(mask.hide('harmless')).toBe('(hidden: it may have contents of secrets)');
});
