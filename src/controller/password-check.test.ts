import { expect, test } from 'vitest';
import { createPasswordCheck } from './password-check.ts';
import { advisedCost, hashPassword, isOutdated, verifyPassword } from './passwords.ts';

const cheap = { N: 1024, r: 8, p: 1 };
const cheaper = { N: 512, r: 8, p: 1 };

test('a right password is remembered for its hash alone, and a wrong one never', async () => {
  const check = createPasswordCheck(cheap);
  const hash = await hashPassword('sesame', cheap);
  const other = await hashPassword('sesame', cheap);
  expect(check.remembers('sesame', hash)).toBe(false);
  expect(await check.verify('sesam', hash)).toBe(false);
  expect(check.remembers('sesam', hash)).toBe(false);
  expect(await check.verify('sesame', hash)).toBe(true);
  expect(check.remembers('sesame', hash)).toBe(true);
  expect(check.remembers('sesame', other)).toBe(false);
  expect(check.remembers('', hash)).toBe(false);
});

test('a hash with a lower cost is renewed, and one with the advised cost is not', async () => {
  const check = createPasswordCheck(cheap);
  const old = await hashPassword('sesame', cheaper);
  const renewed = await check.renewed('sesame', old);
  expect(await verifyPassword('sesame', renewed!)).toBe(true);
  expect(isOutdated(renewed!, cheap)).toBe(false);
  expect(await check.renewed('sesame', renewed!)).toBeUndefined();
  expect(await check.renewed('sesame', '')).toBeUndefined();
});

test('a password check has the cost that OWASP advises', async () => {
  expect(advisedCost).toEqual({ N: 2 ** 17, r: 8, p: 1 });
  const hash = await hashPassword('sesame');
  expect(hash).toMatch(/^scrypt\$131072\$8\$1\$/);
  expect(await verifyPassword('sesame', hash)).toBe(true);
  expect(isOutdated(hash)).toBe(false);
  expect(isOutdated(await hashPassword('sesame', { N: 16_384, r: 8, p: 1 }))).toBe(true);
});
