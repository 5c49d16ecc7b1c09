import { expect, test } from 'vitest';
import type { UserDoc } from './document.ts';
import { describeUser } from './history.ts';

const bob: UserDoc = {
  name: 'bob',
  displayName: '',
  passwordHash: 'hash',
  access: 'login',
  createdAt: '',
  createdBy: 'admin',
  disabled: false,
};
const removed: UserDoc = { ...bob, removed: true, access: '', passwordHash: '' };

test.each<[string, UserDoc | undefined, UserDoc, string[]]>([
  ['a new user', undefined, bob, ['added']],
  ['a name that is given again', removed, bob, ['added']],
  ['a removed user', bob, removed, ['removed']],
  ['a disabled user', bob, { ...bob, disabled: true }, ['disabled']],
  ['an enabled user', { ...bob, disabled: true }, bob, ['enabled']],
  ['a superuser', bob, { ...bob, access: 'superuser' }, ['has superuser access']],
  ['a user whose access is revoked', bob, { ...bob, access: '' }, ['no longer has access']],
  ['a reset', bob, { ...bob, passwordHash: '', registrationKey: 'key' }, ['password reset']],
  ['a registration', { ...bob, passwordHash: '', registrationKey: 'key' }, bob, ['password set']],
  ['another password', bob, { ...bob, passwordHash: 'other' }, ['password stored anew']],
  ['another display name', bob, { ...bob, displayName: 'Bob' }, []],
])('the history tells of %s, without hashes and keys', (_, before, after, expected) => {
  const events = describeUser(before, after);
  expect(events.map(({ what }) => what)).toEqual(expected);
  expect(JSON.stringify(events)).not.toMatch(/hash|key/);
});
