import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addUser('bob');
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('Cloud', method, params, how);

const home = {
  type: 'test',
  'auth-types': ['empty', 'userpass'],
  regions: [{ name: 'here' }, { name: 'there' }],
  'is-controller-cloud': true,
};

test('Clouds by tag, Cloud by entity', async () => {
  expect(await call('Clouds')).toEqual({ clouds: { 'cloud-home': home } });
  expect(await call('Cloud', { entities: [{ tag: 'cloud-home' }, { tag: 'cloud-nine' }] })).toEqual({
    results: [{ cloud: home }, { error: { code: 'not found', message: 'cloud "nine" not found' } }],
  });
});

test('credentials are written, listed, and shown without their secrets', async () => {
  const credential = { 'auth-type': 'userpass', attrs: { username: 'bob', password: 'secret', other: 'x' } };
  const tag = 'cloudcred-home_bob_main';
  expect(
    await call(
      'UpdateCredentialsCheckModels',
      { credentials: [{ tag, credential }], force: false },
      { as: 'bob' },
    ),
  ).toEqual({
    results: [{ tag }],
  });
  expect(
    await call(
      'UserCredentials',
      { 'user-clouds': [{ 'user-tag': 'user-bob', 'cloud-tag': 'cloud-home' }] },
      { as: 'bob' },
    ),
  ).toEqual({
    results: [{ result: [tag] }],
  });
  const shown = await call('Credential', { entities: [{ tag }] }, { as: 'bob' });
  expect(shown).toEqual({
    results: [
      { result: { 'auth-type': 'userpass', attrs: { username: 'bob' }, redacted: ['password', 'other'] } },
    ],
  });
  expect(JSON.stringify(shown)).not.toContain('secret');
});

test('the models that use a credential are named', async () => {
  const tag = 'cloudcred-home_admin_main';
  const credentials = [{ tag, credential: { 'auth-type': 'userpass' } }];
  await call('UpdateCredentialsCheckModels', { credentials });
  const { uuid } = await callers.call<{ uuid: string }>('ModelManager', 'CreateModel', {
    name: 'm',
    'owner-tag': 'user-admin',
    credential: tag,
  });
  expect(await call('UpdateCredentialsCheckModels', { credentials })).toEqual({
    results: [{ tag, models: [{ uuid, name: 'm' }] }],
  });
});

test('others’ credentials are a superuser’s business only', async () => {
  const tag = 'cloudcred-home_admin_main';
  const denied = { error: { code: 'unauthorized access' } };
  expect(await call('Credential', { entities: [{ tag }] }, { as: 'bob' })).toMatchObject({
    results: [denied],
  });
  const credentials = [{ tag, credential: { 'auth-type': 'empty' } }];
  expect(await call('UpdateCredentialsCheckModels', { credentials }, { as: 'bob' })).toMatchObject({
    results: [denied],
  });
  const asked = [{ 'user-tag': 'user-admin', 'cloud-tag': 'cloud-home' }];
  expect(await call('UserCredentials', { 'user-clouds': asked }, { as: 'bob' })).toMatchObject({
    results: [denied],
  });
  expect(callers.store.read().count('credential')).toBe(0);
});

test('an auth type that the cloud has not is refused', async () => {
  const credentials = [{ tag: 'cloudcred-home_admin_main', credential: { 'auth-type': 'oauth9' } }];
  expect(await call('UpdateCredentialsCheckModels', { credentials })).toMatchObject({
    results: [{ error: { code: 'not supported' } }],
  });
});
