import { describe, expect, test } from 'vitest';
import type { Refs } from '../impediments.ts';
import type { UserDoc } from '../user/document.ts';
import { accessOf, activeUser, allows, type Accessed } from './access-of.ts';

const user = (rest: Partial<UserDoc> = {}): UserDoc => ({
  name: 'bob',
  displayName: '',
  passwordHash: '',
  access: 'login',
  createdAt: '',
  createdBy: 'admin',
  disabled: false,
  ...rest,
});
const documents: Readonly<Record<string, unknown>> = {
  'user bob': user(),
  'user eve': user({ name: 'eve', removed: true }),
  'access bob m': { access: 'write' },
  'cloud-access bob aws': { access: 'add-model' },
  'offer-access bob o': { access: 'consume' },
  'access bob own': { access: 'admin' },
};
const records: Pick<Refs, 'get'> = {
  get: (kind, id) => documents[`${kind} ${id}`] as never,
};
const model: Accessed = { kind: 'model', id: 'm' };
const cloud: Accessed = { kind: 'cloud', id: 'aws' };

describe('access of', () => {
  test.each<[string, Partial<UserDoc>, Accessed, string]>([
    ['a user to his model', {}, model, 'write'],
    ['a user to another model', {}, { kind: 'model', id: 'n' }, ''],
    ['a user to his cloud', {}, cloud, 'add-model'],
    ['a user to an offer', {}, { kind: 'offer', id: 'o', model: 'm' }, 'consume'],
    ['a user to another offer', {}, { kind: 'offer', id: 'p', model: 'm' }, ''],
    ['a model’s admin to its offers', {}, { kind: 'offer', id: 'p', model: 'own' }, 'admin'],
    ['a user to the controller', {}, { kind: 'controller' }, 'login'],
    ['a superuser to a model', { access: 'superuser' }, model, 'admin'],
    ['a superuser to a cloud', { access: 'superuser' }, { kind: 'cloud', id: 'x' }, 'admin'],
    ['a disabled superuser', { access: 'superuser', disabled: true }, model, ''],
    ['a disabled user to the controller', { disabled: true }, { kind: 'controller' }, ''],
    ['a removed user', { removed: true }, model, ''],
    ['a user without access to the controller', { access: '' }, model, ''],
  ])('%s', (_, rest, object, expected) => {
    expect(accessOf(records, user(rest), object)).toBe(expected);
  });

  test('a user is found whatever the case of the name, and with the domain of local users', () => {
    expect(activeUser(records, 'BOB')?.name).toBe('bob');
    expect(activeUser(records, 'bob@local')?.name).toBe('bob');
    expect(activeUser(records, 'bob@external')).toBeUndefined();
    expect(activeUser(records, 'eve')).toBeUndefined();
  });

  test('a level of access allows what lower levels allow', () => {
    expect(allows(records, user(), { kind: 'model', id: 'm' }, 'read')).toBe(true);
    expect(allows(records, user(), { kind: 'model', id: 'm' }, 'admin')).toBe(false);
  });
});
