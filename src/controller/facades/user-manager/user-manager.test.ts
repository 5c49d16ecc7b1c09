import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers, type How } from '../../../testing/call.ts';
import { passwordCost } from '../../../testing/password-cost.ts';
import { verifyPassword } from '../../passwords.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

interface Results {
  readonly results: readonly {
    readonly tag?: string;
    readonly 'secret-key'?: string;
    readonly result?: Record<string, unknown>;
    readonly error?: { readonly message: string; readonly code: string };
  }[];
}
const call = (method: string, params: unknown, how?: How): Promise<Results> =>
  callers.call<Results>('UserManager', method, params, how);
const entities = (...names: string[]) => ({ entities: names.map((name) => ({ tag: `user-${name}` })) });
const add = (username: string, password?: string, rest: object = {}): Promise<Results> =>
  call('AddUser', { users: [{ username, 'display-name': '', password, ...rest }] });
const errors = ({ results }: Results): (string | undefined)[] => results.map(({ error }) => error?.message);
const doc = (name: string) => callers.store.read().in('').get('user', name);
const names = async (params: object, how?: How): Promise<unknown[]> =>
  (await call('UserInfo', { entities: [], 'include-disabled': false, ...params }, how)).results.map(
    ({ result }) => result?.['username'],
  );

describe('AddUser', () => {
  test('a user without a password gets a key of 32 bytes, which is stored sealed', async () => {
    const { results } = await add('bob');
    expect(results[0]).toMatchObject({ tag: 'user-bob' });
    const key = results[0]!['secret-key']!;
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(doc('bob')).toMatchObject({ access: 'login', passwordHash: '', createdBy: 'admin' });
    expect(JSON.stringify(doc('bob'))).not.toContain(key);
    expect(callers.context.services.sealer.open(doc('bob')!.registrationKey!)).toBe(key);
  });

  test('a user with a password gets no key', async () => {
    expect(await add('bob', 'sesame')).toEqual({ results: [{ tag: 'user-bob' }] });
    expect(await verifyPassword('sesame', doc('bob')!.passwordHash, passwordCost)).toBe(true);
  });

  test('a name is taken whatever its case, and an invalid name is refused', async () => {
    await add('Bob');
    expect(errors(await add('bob'))).toEqual(['failed to create user: user bob already exists']);
    expect(errors(await add('b b'))).toEqual(['failed to create user: invalid user name "b b"']);
    expect(errors(await add('bob@external'))).toEqual([
      'failed to create user: invalid user name "bob@external"',
    ]);
  });

  test('a user of another domain is known without being added, with the access that was granted', async () => {
    await callers.store.change((tx) => {
      tx.put('external-user', 'mary@external', { user: 'mary@external', access: 'login' });
    }, 'test');
    const { results } = await call('UserInfo', entities('mary@external', 'everyone@external'));
    expect(results.map(({ result }) => [result?.username, result?.access])).toEqual([
      ['mary@external', 'login'],
      ['everyone@external', ''],
    ]);
  });

  test('lengths and the number of users are limited', async () => {
    expect(errors(await add('bob', 'x'.repeat(limits.password.max + 1)))).toEqual([
      `password: ${limits.password.max + 1} characters exceed the limit of ${limits.password.max}`,
    ]);
    const long = { 'display-name': 'x'.repeat(limits.displayName.max + 1) };
    expect(errors(await add('bob', undefined, long))[0]).toMatch(
      /^display name of a user .*exceed the limit/,
    );
    await callers.store.change((tx) => {
      const admin = tx.get('user', 'admin')!;
      for (let i = tx.count('user'); i < limits.users.max; i++)
        tx.put('user', `u${i}`, { ...admin, name: `u${i}`, access: 'login' });
    }, 'test');
    expect(errors(await add('bob'))[0]).toContain(`exceed the limit of ${limits.users.max}`);
  });
});

describe('users who go', () => {
  test('a removed user loses its access, keeps its models, and its name may be given again', async () => {
    await add('bob', 'sesame');
    await callers.grant('bob', 'admin');
    expect(errors(await call('RemoveUser', entities('bob', 'bob', 'eve', 'admin')))).toEqual([
      undefined,
      'failed to delete user "bob": user "bob" not found',
      'failed to delete user "eve": user "eve" not found',
      'cannot delete controller owner "admin"',
    ]);
    expect(doc('bob')).toMatchObject({ removed: true, access: '', passwordHash: '' });
    expect(await names({})).toEqual(['admin']);
    // Removed users, and those that never were, are the same to clients.
    expect(errors(await call('UserInfo', { ...entities('bob', 'eve'), 'include-disabled': true }))).toEqual([
      'permission denied',
      'permission denied',
    ]);
    await add('bob');
    expect(await names({})).toEqual(['admin', 'bob']);
    const of = await call('ModelUserInfo', { entities: [{ tag: `model-${callers.model}` }] });
    expect(of.results.map(({ result }) => result?.['user'])).toEqual(['admin']);
  });

  test('a user is disabled and enabled again, more than once, but never the owner', async () => {
    await add('bob', 'sesame');
    for (let i = 0; i < 2; i++)
      expect(errors(await call('DisableUser', entities('bob', 'eve', 'admin')))).toEqual([
        undefined,
        'permission denied',
        'failed to disable user: cannot disable controller model owner',
      ]);
    expect(await names({})).toEqual(['admin']);
    const { results } = await call('UserInfo', { entities: [], 'include-disabled': true });
    expect(results[1]?.result).toMatchObject({ username: 'bob', access: '', disabled: true });
    await expect(call('UserInfo', entities('bob'), { as: 'bob' })).rejects.toThrow('permission denied');
    expect(errors(await call('ResetPassword', entities('bob')))).toEqual([
      'cannot reset password for user "bob": user deactivated',
    ]);
    await call('EnableUser', entities('bob'));
    expect(await names({}, { as: 'bob' })).toEqual(['bob']);
  });
});

describe('passwords', () => {
  const set = (name: string, password: string, how?: How): Promise<Results> =>
    call('SetPassword', { changes: [{ tag: `user-${name}`, password }] }, how);

  test('a password is set by the user or a superuser, and ends the key', async () => {
    await add('bob');
    await add('eve', 'x');
    expect(errors(await set('bob', 'one', { as: 'eve' }))).toEqual(['permission denied']);
    expect(errors(await set('bob', ''))).toEqual(['cannot use an empty password']);
    expect(errors(await set('mary', 'one'))).toEqual(['user "mary" not found']);
    expect(errors(await set('bob', 'one'))).toEqual([undefined]);
    expect(doc('bob')).not.toHaveProperty('registrationKey');
    expect(errors(await set('BOB', 'two', { as: 'bob' }))).toEqual([undefined]);
    expect(await verifyPassword('two', doc('bob')!.passwordHash, passwordCost)).toBe(true);
  });

  test('a reset ends the password and gives a key, to others only', async () => {
    await add('bob', 'one');
    expect(errors(await call('ResetPassword', entities('admin', 'mary')))).toEqual([
      'permission denied',
      'user "mary" not found',
    ]);
    const { results } = await call('ResetPassword', entities('bob'));
    expect(results[0]).toMatchObject({ tag: 'user-bob', 'secret-key': expect.any(String) as string });
    expect(doc('bob')?.passwordHash).toBe('');
  });
});

describe('users that a user sees', () => {
  test('users see themselves, superusers all, in the order of names', async () => {
    for (const name of ['zoe', 'bob']) await add(name, 'x');
    expect(await names({})).toEqual(['admin', 'bob', 'zoe']);
    expect(await names({}, { as: 'bob' })).toEqual(['bob']);
    expect(errors(await call('UserInfo', entities('zoe', 'bob'), { as: 'bob' }))).toEqual([
      'permission denied',
      undefined,
    ]);
  });

  test('readers of a model see its users, and nobody else does', async () => {
    await add('bob', 'x');
    await add('eve', 'x');
    await callers.grant('bob', 'read');
    const params = { entities: [{ tag: `model-${callers.model}` }] };
    const { results } = await call('ModelUserInfo', params, { as: 'bob' });
    expect(results.map(({ result }) => [result?.['user'], result?.['access']])).toEqual([
      ['admin', 'admin'],
      ['bob', 'read'],
    ]);
    expect(errors(await call('ModelUserInfo', params, { as: 'eve' }))).toEqual(['permission denied']);
  });
});
