/** Grants and revocations by the three methods that make them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  for (const name of ['bob', 'eve']) await callers.addUser(name);
});
afterEach(() => callers[Symbol.asyncDispose]());

const methods = {
  controller: ['Controller', 'ModifyControllerAccess'],
  model: ['ModelManager', 'ModifyModelAccess'],
  cloud: ['Cloud', 'ModifyCloudAccess'],
} as const;

/** Makes one change, such as `grant bob read`, and returns its error's message, or `ok`. */
async function change(kind: keyof typeof methods, line: string, as = 'admin'): Promise<string> {
  const [action, user, access] = line.split(' ');
  const [facade, method] = methods[kind];
  const object = {
    model: { 'model-tag': `model-${callers.model}` },
    cloud: { 'cloud-tag': 'cloud-home' },
    controller: {},
  };
  const { results } = await callers.call<{ results: { error?: { message: string } }[] }>(
    facade,
    method,
    { changes: [{ 'user-tag': `user-${user}`, action, access, ...object[kind] }] },
    { as },
  );
  return results[0]?.error?.message ?? 'ok';
}

test.each<[keyof typeof methods, string, string]>([
  ['model', 'grant bob read', 'ok'],
  ['model', 'grant bob superuser', 'could not modify model access: "superuser" model access not valid'],
  [
    'model',
    'grant mary read',
    'could not grant model access: user "mary" does not exist locally: user "mary" not found',
  ],
  ['model', 'revoke bob read', 'could not revoke model access: model user "bob" does not exist'],
  ['model', 'take bob read', 'unknown action "take"'],
  ['model', 'grant admin read', 'user already has "admin" access or greater'],
  ['controller', 'grant bob superuser', 'ok'],
  [
    'controller',
    'grant bob login',
    'could not grant controller access: user already has "login" access or greater',
  ],
  ['controller', 'grant bob read', '"read" controller access not valid'],
  ['controller', 'revoke bob login', 'ok'],
  ['cloud', 'grant bob add-model', 'ok'],
  ['cloud', 'grant bob read', '"read" cloud access not valid'],
  ['cloud', 'grant admin add-model', 'cannot change your own cloud access'],
  ['cloud', 'revoke bob admin', 'could not revoke cloud access: cloud user "bob" does not exist'],
])('%s: %s: %s', async (kind, line, expected) => {
  expect(await change(kind, line)).toBe(expected);
});

test('admins of a model change access to it, and lower ones do not', async () => {
  await callers.grant('bob', 'write');
  expect(await change('model', 'grant eve read', 'bob')).toBe('permission denied');
  await callers.grant('bob', 'admin');
  expect(await change('model', 'grant EVE read', 'bob')).toBe('ok');
  expect(callers.store.read().in('').get('access', `eve ${callers.model}`)?.access).toBe('read');
  expect(await change('model', 'revoke eve read', 'bob')).toBe('ok');
  expect(callers.store.read().in('').get('access', `eve ${callers.model}`)).toBeUndefined();
});

test('who may add models on a cloud sees it, makes models there that are his own, and nobody else’s', async () => {
  const clouds = async (): Promise<string[]> =>
    Object.keys((await callers.call<{ clouds: object }>('Cloud', 'Clouds', {}, { as: 'bob' })).clouds);
  const create = (owner: string): Promise<unknown> =>
    callers.call(
      'ModelManager',
      'CreateModel',
      { name: 'mine', 'owner-tag': `user-${owner}`, 'cloud-tag': 'cloud-home' },
      { as: 'bob' },
    );
  expect(await clouds()).toEqual([]);
  await expect(create('bob')).rejects.toThrow('cloud "home" not found');
  await change('cloud', 'grant bob add-model');
  expect(await clouds()).toEqual(['cloud-home']);
  await expect(create('eve')).rejects.toThrow('permission denied');
  expect(await create('bob')).toMatchObject({ name: 'mine', 'owner-tag': 'user-bob' });
  await change('cloud', 'revoke bob add-model');
  expect(await clouds()).toEqual([]);
});

test('a user without access to the controller may do nothing, whatever else was granted', async () => {
  await callers.grant('bob', 'admin');
  await change('controller', 'revoke bob login');
  await expect(change('model', 'grant eve read', 'bob')).rejects.toThrow('permission denied');
  expect(await change('controller', 'grant bob login')).toBe('ok');
  expect(await change('model', 'grant eve read', 'bob')).toBe('ok');
});

/** Credentials that the user's clients offer for a new model. */
async function credentialsOf(user: string): Promise<unknown> {
  const { results } = await callers.call<{ results: { result: readonly string[] }[] }>(
    'Cloud',
    'UserCredentials',
    { 'user-clouds': [{ 'user-tag': `user-${user}`, 'cloud-tag': 'cloud-home' }] },
    { as: user },
  );
  return results[0]!.result;
}

test.each([
  ['cloud', 'grant bob add-model'],
  ['controller', 'grant bob superuser'],
] as const)('%s: %s: a cloud that asks for no credential gets an empty one of bob', async (kind, line) => {
  expect(await credentialsOf('bob')).toEqual([]);
  await change(kind, line);
  expect(await credentialsOf('bob')).toEqual(['cloudcred-home_bob_default']);
  const { 'cloud-credential-tag': tag } = await callers.call<Record<string, unknown>>(
    'ModelManager',
    'CreateModel',
    {
      name: 'mine',
      'owner-tag': 'user-bob',
      'cloud-tag': 'cloud-home',
      credential: 'cloudcred-home_bob_default',
    },
    { as: 'bob' },
  );
  expect(tag).toBe('cloudcred-home_bob_default');
});

test('a user with a credential of the cloud keeps it as the only one', async () => {
  const credential = { cloud: 'home', owner: 'bob', name: 'key', authType: 'userpass', attributes: {} };
  await callers.store.change((tx) => tx.put('credential', 'home_bob_key', credential), 'test');
  await change('cloud', 'grant bob add-model');
  expect(await credentialsOf('bob')).toEqual(['cloudcred-home_bob_key']);
});

test('a user who may have no more credentials can be granted access all the same (limits.credentialsOfUser)', async () => {
  await callers.store.change((tx) => {
    for (let n = 0; n < limits.credentialsOfUser.max; n++)
      tx.put('credential', `other_bob_${n}`, {
        cloud: 'other',
        owner: 'bob',
        name: String(n),
        authType: 'empty',
        attributes: {},
      });
  }, 'test');
  expect(await change('cloud', 'grant bob add-model')).toBe('ok');
  expect(await credentialsOf('bob')).toEqual([]);
});
