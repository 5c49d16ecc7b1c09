import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from './sealer.ts';

const newKey = () => createSecretKey(randomBytes(32));

test('a sealed text reveals nothing, is different each time, and opens with the same key only', () => {
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

test('a text that is not sealed is returned unchanged', () => {
  expect(createSealer(newKey()).open('plain')).toBe('plain');
});

test('each sealed text has an initialization vector of its own, however many there are', () => {
  const sealer = createSealer(newKey());
  const vectors = Array.from({ length: 1_000 }, () =>
    Buffer.from(sealer.seal('').slice('sealed:1:'.length), 'base64').subarray(0, 12).toString('hex'),
  );
  expect(new Set(vectors).size).toBe(1_000);
});
