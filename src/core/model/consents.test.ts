import { expect, test } from 'vitest';
import type { UserDoc } from '../user/document.ts';
import { countSince, sinceOf } from './consents.ts';

const user = (name: string, createdAt: string, access: UserDoc['access'] = 'login'): UserDoc =>
  ({ name, createdAt, access }) as UserDoc;
const consents = { key: '', at: '2026-05-01', since: { bob: '2026-01-01' } };

test.each<[string, UserDoc, typeof consents | undefined, string]>([
  ['of a model that was made here', user('bob', '2026-03-01'), undefined, '2026-03-01'],
  ['of a user who was here when the model came', user('Bob', '2026-03-01'), consents, '2026-01-01'],
  ['of somebody who got the name later', user('bob', '2026-06-01'), consents, '2026-06-01'],
  ['of a user who was unknown there', user('eve', '2026-03-01'), consents, '2026-03-01'],
])('consents count since the right time: %s', (_, of, known, since) => {
  expect(countSince(of, known)).toBe(since);
});

test('a model takes along since when its users, and superusers, are who they are', () => {
  const users = [
    user('admin', '2026-02-01', 'superuser'),
    user('Bob', '2026-03-01'),
    user('eve', '2026-04-01'),
  ];
  const root = {
    list: () => users,
    get: (_: 'user', id: string) => users.find(({ name }) => name.toLowerCase() === id),
  };
  expect(sinceOf(root, ['bob', 'x@far', 'gone'], consents)).toEqual({
    admin: '2026-02-01',
    bob: '2026-01-01',
  });
});
