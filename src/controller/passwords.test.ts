import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashSecret, hashPassword as hashAt, verifyPassword as verifyAt, verifySecret } from './passwords.ts';

/** The advised cost, which takes a third of a second, is in password-check.test. */
const cost = { N: 1024, r: 8, p: 1 };
const hashPassword = (password: string): Promise<string> => hashAt(password, cost);
const verifyPassword = (password: string, hash: string): Promise<boolean> => verifyAt(password, hash, cost);

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
