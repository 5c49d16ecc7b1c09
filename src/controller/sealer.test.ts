import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from './sealer.ts';

const newKey = () => createSecretKey(randomBytes(32));

test('what is sealed says nothing, is another text each time, and opens with the same key only', () => {
  const key = newKey();
  const sealer = createSealer(key);
  const [one, two] = [sealer.seal('påssword'), sealer.seal('påssword')];
  expect(one).not.toBe(two);
  expect(Buffer.from(one.slice('sealed:1:'.length), 'base64').includes('ssword')).toBe(false);
  expect(createSealer(key).open(one)).toBe('påssword');
  expect(() => createSealer(newKey()).open(one)).toThrow(/./);
  const changed = one.slice(0, -6) + (one.at(-6) === 'A' ? 'B' : 'A') + one.slice(-5);
  expect(() => sealer.open(changed)).toThrow(/./);
});

test('a text from before is returned as it is', () => {
  expect(createSealer(newKey()).open('plain')).toBe('plain');
});
