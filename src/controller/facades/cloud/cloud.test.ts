import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProviderError } from '../../../providers/contract/provider.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
let refusal: string | undefined;
beforeEach(async () => {
  refusal = undefined;
  const tryCredential = (): Promise<void> =>
    refusal === undefined ? Promise.resolve() : Promise.reject(new ProviderError('credential', refusal));
  callers = await createCallers({ tryCredential });
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

test('Clouds lists clouds by tag, and Cloud returns one by entity', async () => {
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
  const attrs = { username: 'admin', password: 'secret' };
  const credentials = [{ tag, credential: { 'auth-type': 'userpass', attrs } }];
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

test('only superusers can use the credentials of others', async () => {
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

test('a credential without a tag is a bad request: clients parse the tags of results', async () => {
  const credentials = [{ tag: '', credential: { 'auth-type': 'empty' } }];
  for (const method of ['CheckCredentialsModels', 'UpdateCredentialsCheckModels'])
    await expect(call(method, { credentials })).rejects.toMatchObject({ code: 'bad request' });
});

test('an auth type that the cloud does not have is refused', async () => {
  const credentials = [{ tag: 'cloudcred-home_admin_main', credential: { 'auth-type': 'oauth9' } }];
  expect(await call('UpdateCredentialsCheckModels', { credentials })).toMatchObject({
    results: [{ error: { code: 'not supported' } }],
  });
});

const userpass = (password: string) => ({
  'auth-type': 'userpass',
  attrs: { username: 'admin', password },
});
const mainTag = 'cloudcred-home_admin_main';
const update = (password: string, more: object = {}) =>
  call('UpdateCredentialsCheckModels', {
    credentials: [{ tag: mainTag, credential: userpass(password) }],
    ...more,
  });
const createModel = (params: object) =>
  callers.call<{ uuid: string }>('ModelManager', 'CreateModel', { 'owner-tag': 'user-admin', ...params });

test('secrets are sealed in the store, and shown only to superusers who ask for them', async () => {
  await update('hunter2');
  const stored = callers.store.read().in('').get('credential', 'home_admin_main');
  expect(stored?.attributes).toMatchObject({
    username: 'admin',
    password: expect.stringMatching(/^sealed:1:/) as string,
  });
  const contents = (params: object, how?: object) => call('CredentialContents', params, how);
  const content = { name: 'main', cloud: 'home', 'auth-type': 'userpass', valid: true };
  expect(await contents({ 'include-secrets': false })).toEqual({
    results: [{ result: { content: { ...content, attrs: { username: 'admin' } } } }],
  });
  expect(await contents({ 'include-secrets': true })).toMatchObject({
    results: [{ result: { content: { attrs: { username: 'admin', password: 'hunter2' } } } }],
  });
  await expect(contents({ 'include-secrets': true }, { as: 'bob' })).rejects.toMatchObject({
    code: 'unauthorized access',
  });
  expect(await contents({ 'include-secrets': false }, { as: 'bob' })).toEqual({ results: [] });
  const named = [{ 'cloud-name': 'home', 'credential-name': 'main' }];
  expect(await contents({ credentials: named, 'include-secrets': false }, { as: 'bob' })).toMatchObject({
    results: [{ error: { code: 'not found' } }],
  });
});

test('a credential that the clouds of its models refuse is not written, unless forced', async () => {
  await update('old');
  const { uuid } = await createModel({ name: 'm', credential: mainTag });
  refusal = 'wrong password';
  const models = [{ uuid, name: 'm', errors: [{ error: { message: 'wrong password', code: '' } }] }];
  expect(await update('new')).toEqual({
    results: [
      {
        tag: mainTag,
        models,
        error: { code: '', message: 'some models are no longer visible with credential "main"' },
      },
    ],
  });
  const password = async (): Promise<unknown> =>
    (
      await call<{ results: { result: { content: { attrs: unknown } } }[] }>('CredentialContents', {
        'include-secrets': true,
      })
    ).results[0]?.result.content.attrs;
  expect(await password()).toMatchObject({ password: 'old' });
  expect(
    await call('CheckCredentialsModels', {
      credentials: [{ tag: mainTag, credential: userpass('new') }],
    }),
  ).toMatchObject({ results: [{ models }] });
  expect(await update('new', { force: true })).toEqual({ results: [{ tag: mainTag, models }] });
  expect(await password()).toMatchObject({ password: 'new' });
});

test('AddCredentials overwrites no known credential', async () => {
  const credentials = [{ tag: mainTag, credential: userpass('a') }];
  expect(await call('AddCredentials', { credentials })).toEqual({ results: [{}] });
  expect(await call('AddCredentials', { credentials })).toMatchObject({
    results: [{ error: { code: 'already exists' } }],
  });
  const incomplete = [{ tag: mainTag, credential: { 'auth-type': 'userpass', attrs: { username: 'x' } } }];
  expect(await call('AddCredentials', { credentials: incomplete })).toMatchObject({
    results: [
      { error: { code: 'not valid', message: 'credential "main": attribute "password" is missing' } },
    ],
  });
});

test('a revocation needs force while models use the credential; then they wait for another one', async () => {
  await update('old');
  const { uuid } = await createModel({ name: 'm', credential: mainTag });
  const revoke = (force: boolean) =>
    call('RevokeCredentialsCheckModels', { credentials: [{ tag: mainTag, force }] });
  expect(await revoke(false)).toMatchObject({
    results: [{ error: { message: 'cannot revoke credential "main": it is still used by 1 model: m' } }],
  });
  expect(await revoke(true)).toEqual({ results: [{}] });
  const stored = () => callers.store.read().in('').get('credential', 'home_admin_main');
  expect(stored()).toMatchObject({ revoked: true, attributes: {} });
  await expect(createModel({ name: 'n', credential: mainTag })).rejects.toThrow('is revoked');
  await update('new');
  expect(stored()).not.toHaveProperty('revoked');
  const otherCredential = 'cloudcred-home_admin_other';
  await call('AddCredentials', {
    credentials: [{ tag: otherCredential, credential: { 'auth-type': 'empty' } }],
  });
  const change = (tag: string, how?: object) =>
    callers.call(
      'ModelManager',
      'ChangeModelCredential',
      { 'model-credentials': [{ 'model-tag': `model-${uuid}`, 'credential-tag': tag }] },
      how,
    );
  expect(await change(otherCredential, { as: 'bob' })).toMatchObject({
    results: [{ error: { code: 'unauthorized access' } }],
  });
  refusal = 'unknown user';
  expect(await change(otherCredential)).toMatchObject({
    results: [{ error: { message: 'credential "other" is not valid for model "m": unknown user' } }],
  });
  refusal = undefined;
  expect(await change(otherCredential)).toEqual({ results: [{}] });
  expect(callers.store.read().in('').get('model', uuid)?.credential).toBe('home_admin_other');
  expect(await revoke(false)).toEqual({ results: [{}] });
  expect(stored()).toBeUndefined();
});

const away = {
  type: 'test',
  'auth-types': ['userpass'],
  endpoint: 'https://away',
  regions: [{ name: 'north', endpoint: 'https://north' }, { name: 'south' }],
  config: { 'test-token': 'hunter2', 'test-size': 5, 'apt-mirror': 'http://mirror' },
  'region-config': { north: { 'test-size': 6 } },
  'ca-certificates': ['PEM'],
};

test('a cloud is added, shown without its secrets, updated and removed', async () => {
  expect(await call('AddCloud', { name: 'away', cloud: away })).toEqual({});
  await expect(call('AddCloud', { name: 'away', cloud: away })).rejects.toThrow('already exists');
  const { config, ...rest } = away;
  const { 'test-token': _secret, ...visible } = config;
  const shown = { ...rest, config: visible };
  expect(await call('Cloud', { entities: [{ tag: 'cloud-away' }] })).toEqual({ results: [{ cloud: shown }] });
  expect(await call('CloudInfo', { entities: [{ tag: 'cloud-away' }] })).toMatchObject({
    results: [{ result: { type: 'test', users: [{ user: 'admin', access: 'admin' }] } }],
  });
  expect(await call('ListCloudInfo', { 'user-tag': 'user-admin' })).toMatchObject({
    results: [{ result: { 'user-access': 'admin' } }, {}],
  });
  const all = await call<{ clouds: object }>('Clouds');
  expect(Object.keys(all.clouds)).toEqual(['cloud-home', 'cloud-away']);
  // A secret that the request lacks stays: it is not shown, so a client cannot give it back.
  await call('UpdateCloud', { clouds: [{ name: 'away', cloud: { ...shown, endpoint: 'https://new' } }] });
  const stored = callers.store.read().in('').get('cloud', 'away');
  expect(stored).toMatchObject({ endpoint: 'https://new' });
  expect(JSON.stringify(stored)).not.toContain('hunter2');
  expect(stored?.config['test-token']).toMatch(/^sealed:/);
  expect(
    await call('RemoveClouds', { entities: [{ tag: 'cloud-away' }, { tag: 'cloud-home' }] }),
  ).toMatchObject({
    results: [{}, { error: { message: expect.stringContaining("the controller's own") as string } }],
  });
});

test('a secret of a region stays while the region does, and is replaced by another', async () => {
  const secrets = () =>
    Object.entries(callers.store.read().in('').get('cloud', 'away')?.regionConfig ?? {}).map(
      ([region, { 'test-token': sealed, ...others }]) => [region, sealed, others] as const,
    );
  const update = (change: object) =>
    call('UpdateCloud', { clouds: [{ name: 'away', cloud: { ...away, ...change } }] });
  const config = { 'test-size': 6, 'test-token': 'of north' };
  await call('AddCloud', { name: 'away', cloud: { ...away, 'region-config': { north: config } } });
  const sealed = secrets()[0]?.[1];
  expect(sealed).toMatch(/^sealed:/);
  await update({ 'region-config': { north: { 'test-size': 7 }, south: { 'test-size': 6 } } });
  expect(secrets()).toEqual([
    ['north', sealed, { 'test-size': 7 }],
    ['south', undefined, { 'test-size': 6 }],
  ]);
  // As Juju's client, which drops a region that has no visible settings.
  await update({ 'region-config': {} });
  expect(secrets()).toEqual([['north', sealed, {}]]);
  await update({ 'region-config': { north: { 'test-token': 'other' } } });
  expect(secrets()).toEqual([['north', expect.stringMatching(/^sealed:/), {}]]);
  expect(secrets()[0]?.[1]).not.toBe(sealed);
  await update({ regions: [{ name: 'south' }], 'region-config': {} });
  expect(secrets()).toEqual([]);
});

test('a cloud of a wrong type, auth type, name or setting is refused, and so is a user who is no superuser', async () => {
  const add = (name: string, change: object, how?: object) =>
    call('AddCloud', { name, cloud: { ...away, ...change } }, how);
  await expect(add('a', { type: 'moon' })).rejects.toThrow('cloud type "moon" not supported');
  await expect(add('a', { 'auth-types': ['oauth9'] })).rejects.toThrow('auth-type "oauth9"');
  await expect(add('a_b', {})).rejects.toThrow('cloud name "a_b" not valid');
  await expect(add('a', { config: { 'test-size': 13 } })).rejects.toThrow('13 is not supported');
  await expect(add('a', {}, { as: 'bob' })).rejects.toMatchObject({ code: 'unauthorized access' });
});

test.each<[object, string]>([
  [{ config: { colours: ['red', 'blue'] } }, 'colours: expected string, got ["red","blue"]'],
  [{ config: { uuid: 'x' } }, 'uuid cannot have a default value'],
  [{ config: { 'firewall-mode': 'global' } }, 'firewall-mode "global" is not supported by cloud "away"'],
  [{ config: { 'cloudinit-userdata': 'users: []' } }, 'users'],
  [{ config: { 'default-series': 'none' } }, 'series "none" is not known'],
  [{ config: { 'hook-timeout': 'soon' } }, 'hook-timeout: invalid duration "soon"'],
  [{ config: { 'http-proxy': 'a' }, 'region-config': { north: { 'juju-http-proxy': 'b' } } }, 'legacy proxy'],
  [{ 'region-config': { south: { colours: ['red'] } } }, 'colours: expected string'],
])(
  'a cloud with %j, which no new model could inherit, is neither added nor updated',
  async (change, says) => {
    await expect(call('AddCloud', { name: 'away', cloud: { ...away, ...change } })).rejects.toThrow(says);
    await call('AddCloud', { name: 'away', cloud: away });
    const before = callers.store.read().in('').get('cloud', 'away');
    expect(
      await call('UpdateCloud', { clouds: [{ name: 'away', cloud: { ...away, ...change } }] }),
    ).toMatchObject({ results: [{ error: { message: expect.stringContaining(says) as string } }] });
    expect(callers.store.read().in('').get('cloud', 'away')).toEqual(before);
    const cloud = { ...away, 'auth-types': ['empty', 'userpass'] };
    expect(await call('UpdateCloud', { clouds: [{ name: 'away', cloud }] })).toEqual({ results: [{}] });
    await createModel({ name: 'm', 'cloud-tag': 'cloud-away' });
  },
);

test('a series that a cloud has as default is the base of its new models', async () => {
  const cloud = { ...away, 'auth-types': ['empty'], config: { 'default-series': 'jammy' } };
  await call('AddCloud', { name: 'away', cloud });
  const { uuid } = await createModel({ name: 'm', 'cloud-tag': 'cloud-away', region: 'south' });
  const { config } = callers.store.read().in('').get('model', uuid)!;
  expect(config).toMatchObject({ 'default-base': 'ubuntu@22.04' });
  expect(config).not.toHaveProperty('default-series');
});

test('an immutable setting of a cloud changes only while no model is on the cloud', async () => {
  const update = (change: object) =>
    call('UpdateCloud', { clouds: [{ name: 'away', cloud: { ...away, ...change } }] });
  await call('AddCloud', { name: 'away', cloud: { ...away, 'auth-types': ['empty'] } });
  const changed = { 'auth-types': ['empty'], config: { 'test-project': 'other' } };
  expect(await update(changed)).toEqual({ results: [{}] });
  await createModel({ name: 'm', 'cloud-tag': 'cloud-away' });
  expect(await update(changed)).toEqual({ results: [{}] });
  expect(await update({ 'auth-types': ['empty'], config: {} })).toMatchObject({
    results: [{ error: { message: 'cannot change test-project from "other" to "first"' } }],
  });
});

test('a cloud of a type that only Juju has is kept and listed, and no model is made on it', async () => {
  const cloud = {
    type: 'gce',
    endpoint: 'https://gce',
    regions: [{ name: 'west' }],
    config: { vpc: 'x' },
    'host-cloud-region': 'other',
  };
  await call('AddCloud', { name: 'google', cloud });
  const authTypes = ['oauth2', 'jsonfile', 'service-account'];
  const shown = { ...cloud, 'auth-types': authTypes };
  expect(await call('Cloud', { entities: [{ tag: 'cloud-google' }] })).toEqual({
    results: [{ cloud: shown }],
  });
  expect(await call('Clouds')).toMatchObject({ clouds: { 'cloud-google': { type: 'gce' } } });
  const tag = 'cloudcred-google_admin_main';
  const credential = { 'auth-type': 'jsonfile', attrs: { file: 'hunter2' } };
  expect(await call('AddCredentials', { credentials: [{ tag, credential }] })).toEqual({ results: [{}] });
  expect(JSON.stringify(callers.store.read().in('').get('credential', 'google_admin_main'))).not.toContain(
    'hunter2',
  );
  await expect(
    callers.call('ModelManager', 'CreateModel', {
      name: 'm',
      'owner-tag': 'user-admin',
      'cloud-tag': 'cloud-google',
    }),
  ).rejects.toMatchObject({ code: 'not supported' });
  expect(
    await call('UpdateCloud', { clouds: [{ name: 'google', cloud: { ...cloud, endpoint: 'https://new' } }] }),
  ).toEqual({
    results: [{}],
  });
  expect(await call('RevokeCredentialsCheckModels', { credentials: [{ tag, force: false }] })).toMatchObject({
    results: [{}],
  });
  expect(await call('RemoveClouds', { entities: [{ tag: 'cloud-google' }] })).toEqual({ results: [{}] });
});

test('neither a cloud nor a region is removed while models are there', async () => {
  await call('AddCloud', { name: 'away', cloud: away });
  const tag = 'cloudcred-away_admin_main';
  await call('AddCredentials', { credentials: [{ tag, credential: userpass('x') }] });
  const { uuid } = await createModel({ name: 'm', 'cloud-tag': 'cloud-away', region: 'north' });
  expect(callers.store.read().in('').get('model', uuid)).toMatchObject({
    cloud: 'away',
    region: 'north',
    credential: 'away_admin_main',
    config: { 'apt-mirror': 'http://mirror' },
  });
  expect(await call('RemoveClouds', { entities: [{ tag: 'cloud-away' }] })).toMatchObject({
    results: [{ error: { message: 'cannot remove cloud "away": cloud is used by 1 model' } }],
  });
  const cloud = { ...away, regions: [{ name: 'south' }] };
  expect(await call('UpdateCloud', { clouds: [{ name: 'away', cloud }] })).toMatchObject({
    results: [{ error: { message: 'cannot remove region north of cloud "away": it has models (m)' } }],
  });
});
