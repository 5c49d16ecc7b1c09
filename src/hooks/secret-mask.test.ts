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
  [
    'no value that tells nothing',
    ['True', 'none', 'null', 'false'],
    'tls: True, ca: none',
    'tls: True, ca: none',
  ],
  ['no line that tells nothing', ['password\ntrue\n', 'none\n'], 'tls true, ca none', 'tls true, ca none'],
  ['values that overlap', ['secret', 'retina'], 'a secretina', 'a *****'],
  ['values beside each other', ['s3cret'], 's3crets3cret', '**********'],
  ['what is after a carriage return in a value', ['first\rsecond'], 'second', '*****'],
  ['a value of four characters', ['1234'], 'pin 1234', 'pin *****'],
])('%s', (_, values, text, expected) => {
  expect(masking(...values).hide(text)).toBe(expected);
});

test('secret values in the texts of an output are hidden, and a text with a short secret value is hidden whole', () => {
  const output = { stdout: 'got s3cret\n', nested: { list: ['s3cret', 'ab?'] }, 'return-code': 0 };
  expect(masking('s3cret', 'ab').hideInOutput(output)).toEqual({
    stdout: 'got *****\n',
    nested: { list: ['*****', '(hidden: it may have contents of secrets)'] },
    'return-code': 0,
  });
});

test('a part of a line, which may end within a secret value, is hidden whole once there is such a value', () => {
  expect(masking().hide('got s3c', true)).toBe('got s3c');
  expect(masking('s3cret').hide('got s3c', true)).toBe('(hidden: it may have contents of secrets)');
});
test('the end of a cut output is hidden when a secret value may begin with it', () => {
  const mask = masking('s3cret', 'cute');
  const output = { stdout: 'got s3cret, s3c', stderr: 'got s3c', other: 's3c' };
  expect(mask.hideInOutput(output, ['stdout'])).toEqual({ ...output, stdout: 'got *****, *****' });
  expect(mask.hideInOutput({ stdout: 'harmless' }, ['stdout'])).toEqual({ stdout: 'harmles*****' });
  expect(mask.hideInOutput({ stdout: 'acute' }, ['stdout'])).toEqual({ stdout: 'a*****' });
});

test('bytes that are no text are hidden whole when they contain a secret value', () => {
  const bytes = (...parts: (string | number)[]): string =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))),
    ).toString('base64');
  const mask = masking('s3cret');
  const harmless = { stdout: bytes(0xff, 'nothing'), 'stdout-encoding': 'base64' };
  expect(mask.hideInOutput(harmless)).toEqual(harmless);
  expect(mask.hideInOutput({ stderr: bytes(0xff, 's3cret', 0xc3), 'stderr-encoding': 'base64' })).toEqual({
    stderr: '(hidden: it may have contents of secrets)',
  });
});

test('a charm cannot have a value shown by calling it base64', () => {
  const output = { value: 's3cret', 'value-encoding': 'base64' };
  expect(masking('s3cret').hideInOutput(output)).toEqual({ value: '*****', 'value-encoding': 'base64' });
});

test('all text is hidden when the secret values exceed limits.secretMask', () => {
  const mask = masking('x'.repeat(limits.secretMask.max / 2), `y${'x'.repeat(limits.secretMask.max / 2)}`);
  expect(mask.hide('harmless')).toBe('(hidden: it may have contents of secrets)');
});
