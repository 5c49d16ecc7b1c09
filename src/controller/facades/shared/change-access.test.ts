/** Grants and revocations by the three methods that make them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
  ['model', 'grant bob@local read', 'ok'],
  ['model', 'grant mary@external read', 'ok'],
  ['model', 'grant everyone@external read', 'ok'],
  [
    'model',
    'revoke mary@external read',
    'could not revoke model access: model user "mary@external" does not exist',
  ],
  ['controller', 'grant mary@external superuser', 'ok'],
  ['controller', 'grant mary@external read', '"read" controller access not valid'],
  [
    'controller',
    'revoke mary@external login',
    'could not revoke controller access: controller user "mary@external" does not exist',
  ],
  ['cloud', 'grant mary@external add-model', 'ok'],
])('%s: %s: %s', async (kind, line, expected) => {
  expect(await change(kind, line)).toBe(expected);
});

test('admins of a model change access to it, and users with less access do not', async () => {
  await callers.grant('bob', 'write');
  expect(await change('model', 'grant eve read', 'bob')).toBe('permission denied');
  await callers.grant('bob', 'admin');
  expect(await change('model', 'grant EVE read', 'bob')).toBe('ok');
  expect(callers.store.read().in('').get('access', `eve ${callers.model}`)?.access).toBe('read');
  expect(await change('model', 'revoke eve read', 'bob')).toBe('ok');
  expect(callers.store.read().in('').get('access', `eve ${callers.model}`)).toBeUndefined();
});

test('a user who may add models on a cloud sees it, and makes models there for himself only', async () => {
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

describe('a user of another domain', () => {
  const root = () => callers.store.read().in('');
  const granted = 'user already has "read" access or greater';

  test('an external user has one name whatever its case, and loses access as others do', async () => {
    expect(await change('model', 'grant Mary@External read')).toBe('ok');
    expect(await change('model', 'grant mary@external read')).toBe(granted);
    expect(await change('model', 'revoke MARY@external read')).toBe('ok');
    expect([...root().list('access')].filter(({ user }) => user !== 'admin')).toEqual([]);
    expect(await change('controller', 'grant mary@external superuser')).toBe('ok');
    expect(await change('controller', 'revoke mary@external superuser')).toBe('ok');
    expect([...root().list('external-user')]).toEqual([{ user: 'mary@external', access: 'login' }]);
    expect(await change('controller', 'revoke mary@external login')).toBe('ok');
    expect([...root().list('external-user')]).toEqual([]);
  });

  test('a user of another domain is told with the access to the controller, the model and the cloud, and gets no credential', async () => {
    for (const [kind, level] of [
      ['controller', 'login'],
      ['model', 'write'],
      ['cloud', 'add-model'],
    ] as const)
      expect(await change(kind, `grant mary@external ${level}`)).toBe('ok');
    const entities = [{ tag: 'user-mary@external' }];
    expect(await callers.call('UserManager', 'UserInfo', { entities })).toMatchObject({
      results: [{ result: { username: 'mary@external', access: 'login', disabled: false } }],
    });
    expect(await callers.call('Controller', 'GetControllerAccess', { entities })).toEqual({
      results: [{ result: { 'user-tag': 'user-mary@external', access: 'login' } }],
    });
    const models = { entities: [{ tag: `model-${callers.model}` }] };
    const { results } = await callers.call<{ results: { result: { user: string; access: string } }[] }>(
      'UserManager',
      'ModelUserInfo',
      models,
    );
    expect(results.map(({ result }) => [result.user, result.access])).toContainEqual([
      'mary@external',
      'write',
    ]);
    expect(await callers.call('Cloud', 'CloudInfo', { entities: [{ tag: 'cloud-home' }] })).toMatchObject({
      results: [
        {
          result: {
            users: [
              { user: 'admin', access: 'admin' },
              { user: 'mary@external', access: 'add-model' },
            ],
          },
        },
      ],
    });
    expect([...root().find('credential', 'owner', 'mary@external')]).toEqual([]);
  });

  test('a user of another domain has models and clouds listed that were granted, and with access to the controller as a superuser all', async () => {
    const tag = 'user-Mary@External';
    const listed = async (all: boolean): Promise<unknown[]> => {
      const models = await callers.call<{ 'user-models': { model: { name: string } }[] }>(
        'ModelManager',
        'ListModels',
        { tag },
      );
      const summaries = await callers.call<{
        results: { result: { name: string; 'user-access': string } }[];
      }>('ModelManager', 'ListModelSummaries', { 'user-tag': tag, all });
      const clouds = await callers.call<{ results: { result: { 'user-access': string } }[] }>(
        'Cloud',
        'ListCloudInfo',
        { 'user-tag': tag, all },
      );
      return [
        models['user-models'].map(({ model }) => model.name).sort(),
        summaries.results.map(({ result }) => `${result.name} ${result['user-access']}`).sort(),
        clouds.results.map(({ result }) => result['user-access']),
      ];
    };
    expect(await listed(false)).toEqual([[], [], []]);
    await change('model', 'grant mary@external write');
    await change('cloud', 'grant mary@external add-model');
    expect(await listed(false)).toEqual([['default'], ['default write'], ['add-model']]);
    await change('controller', 'grant mary@external login');
    expect(await listed(true)).toEqual([['default'], ['controller ', 'default write'], ['add-model']]);
    await change('controller', 'grant mary@external superuser');
    const all = ['controller', 'default'];
    expect(await listed(true)).toEqual([all, ['controller admin', 'default admin'], ['admin']]);
    const others = callers.call('ModelManager', 'ListModels', { tag }, { as: 'bob' });
    await expect(others).rejects.toThrow('permission denied');
  });

  test('a user of another domain owns models that a superuser makes for it, and nobody else can make them', async () => {
    const create = (as: string) =>
      callers.call<{ uuid: string }>(
        'ModelManager',
        'CreateModel',
        { name: 'hers', 'owner-tag': 'user-Mary@External', 'cloud-tag': 'cloud-home' },
        { as },
      );
    await change('cloud', 'grant bob add-model');
    await expect(create('bob')).rejects.toThrow('permission denied');
    const { uuid } = await create('admin');
    await expect(create('admin')).rejects.toThrow('model "hers" for mary@external already exists');
    const entities = [{ tag: `model-${uuid}` }];
    expect(await callers.call('ModelManager', 'ModelInfo', { entities })).toMatchObject({
      results: [
        {
          result: {
            'owner-tag': 'user-mary@external',
            users: [{ user: 'mary@external', 'display-name': '', 'last-connection': null, access: 'admin' }],
          },
        },
      ],
    });
    expect(await callers.call('ModelManager', 'ListModels', { tag: 'user-mary@external' })).toMatchObject({
      'user-models': [{ model: { name: 'hers', 'owner-tag': 'user-mary@external' } }],
    });
  });

  test('a user of another domain cannot be removed, disabled, or given a password', async () => {
    await change('controller', 'grant mary@external superuser');
    const entities = [{ tag: 'user-mary@external' }];
    for (const method of ['RemoveUser', 'DisableUser', 'EnableUser', 'ResetPassword'])
      expect(await callers.call('UserManager', method, { entities })).toMatchObject({
        results: [{ error: { message: expect.stringMatching(/not found|permission denied/) } }],
      });
    expect(root().get('user', 'mary@external')).toBeUndefined();
  });

  test('a user of another domain beyond the limit gets no access to the object, where others still do', async () => {
    await callers.store.change((tx) => {
      for (let n = 0; n < limits.externalUsers.max; n++)
        tx.put('access', `u${n}@external ${callers.model}`, {
          user: `u${n}@external`,
          model: callers.model,
          access: 'read',
        });
    }, 'test');
    expect(await change('model', 'grant mary@external read')).toMatch(
      /users of other domains of model .*: 1001 entries exceed the limit of 1000/,
    );
    expect(await change('model', 'grant bob read')).toBe('ok');
    expect(await change('model', 'grant u1@external write')).toBe('ok');
  });
});

test('an admin loses access under the name with the domain of the controller, too', async () => {
  await callers.grant('bob', 'admin');
  expect(await change('model', 'revoke bob@local read')).toBe('ok');
  expect(callers.store.read().in('').get('access', `bob ${callers.model}`)).toBeUndefined();
});
