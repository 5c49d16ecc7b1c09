import { afterAll, beforeAll, expect, test } from 'vitest';
import { password, startApiServer, type ApiServer } from '../../testing/api-server.ts';
import { eventually } from '../../testing/eventually.ts';
import { passwordCost } from '../../testing/password-cost.ts';
import { hashPassword, isOutdated } from '../passwords.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApiServer();
  const passwordHash = await hashPassword(password, { ...passwordCost, N: passwordCost.N / 2 });
  await api.store.change(
    (tx) => tx.put('user', 'reader', { ...tx.get('user', 'reader')!, passwordHash }),
    't',
  );
});
afterAll(() => api.stop());

const hash = (): string => api.store.read().get('user', 'reader')!.passwordHash;
async function logIn(given: string): Promise<string | undefined> {
  const client = await api.open('/api');
  return (await client.login('user-reader', given)).error;
}

test('a hash with a lower cost than advised is renewed at the next successful login', async () => {
  const before = hash();
  expect(await logIn('wrong')).toBe('invalid entity name or password');
  expect(hash()).toBe(before);
  expect(await logIn(password)).toBeUndefined();
  await eventually(() => expect(isOutdated(hash(), passwordCost)).toBe(false));
  const renewed = hash();
  expect(await logIn('wrong')).toBe('invalid entity name or password');
  expect(await logIn(password)).toBeUndefined();
  expect(hash()).toBe(renewed);
});
