import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashPassword, hashSecret, verifyPassword, verifySecret } from './passwords.ts';

it('a password is verified by its hash alone', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).not.toContain('horse');
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('wrong horse', hash)).toBe(false);
  expect(await verifyPassword('', hash)).toBe(false);
});

it('the same password hashes differently each time', async () => {
  expect(await hashPassword('x')).not.toBe(await hashPassword('x'));
});

it.each(['', 'nonsense', 'scrypt$1', '$$$$$'])('no password matches the hash %j', async (hash) => {
  expect(await verifyPassword('', hash)).toBe(false);
});

it('a password that is a random secret is verified by a hash of either kind', async () => {
  const secret = randomBytes(18).toString('base64url');
  expect(await verifyPassword(secret, hashSecret(secret))).toBe(true);
  expect(await verifyPassword(`${secret}x`, hashSecret(secret))).toBe(false);
});

it('secrets are verified by their hash', () => {
  const secret = randomBytes(24).toString('base64');
  expect(hashSecret(secret)).not.toContain(secret);
  expect(verifySecret(secret, hashSecret(secret))).toBe(true);
  expect(verifySecret(`${secret}x`, hashSecret(secret))).toBe(false);
  expect(verifySecret('', '')).toBe(false);
});
