/** Connections of users who lose their access (login.md#end-of-sessions). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApiServer, testModel, type ApiClient, type ApiServer } from '../../testing/api-server.ts';
import { modelPath } from '../../testing/session-world.ts';
import { facades } from '../facades/index.ts';

let api: ApiServer;
let admin: ApiClient;
beforeAll(async () => {
  api = await startApiServer({ facades, validate: true });
  admin = await api.open('/api');
  await admin.login('user-admin');
});
afterAll(() => api.stop());

let users = 0;
let user: string;
beforeEach(async () => {
  user = `user${++users}`;
  await change('UserManager', 3, 'AddUser', {
    users: [{ username: user, 'display-name': '', password: 'x' }],
  });
  await modelAccess('grant', 'read');
});

async function change(facade: string, version: number, method: string, params: object): Promise<void> {
  const { response, error } = await admin.call(facade, version, method, params);
  const { results } = (response ?? {}) as { results?: { error?: { message: string } }[] };
  expect(error ?? results?.[0]?.error?.message).toBeUndefined();
}
const modelAccess = (action: string, access: string): Promise<void> =>
  change('ModelManager', 10, 'ModifyModelAccess', {
    changes: [{ 'user-tag': `user-${user}`, action, access, 'model-tag': `model-${testModel}` }],
  });
const entities = () => ({ entities: [{ tag: `user-${user}` }] });

async function connect(path = modelPath): Promise<ApiClient> {
  const client = await api.open(path);
  expect((await client.login(`user-${user}`, 'x')).error).toBeUndefined();
  return client;
}

test.each<[string, () => Promise<void>]>([
  ['disabled', () => change('UserManager', 3, 'DisableUser', entities())],
  ['removed', () => change('UserManager', 3, 'RemoveUser', entities())],
  ['left without access to the model', () => modelAccess('revoke', 'read')],
  [
    'left without access to the controller',
    () =>
      change('Controller', 12, 'ModifyControllerAccess', {
        changes: [{ 'user-tag': `user-${user}`, action: 'revoke', access: 'login' }],
      }),
  ],
])('the connection of a user who is %s ends, with what it watches', async (_, end) => {
  const client = await connect();
  const { response } = await client.call('Client', 8, 'WatchAll');
  const { 'watcher-id': id } = response as { 'watcher-id': string };
  await client.call('AllWatcher', 3, 'Next', {}, id);
  const waiting = client.call('AllWatcher', 3, 'Next', {}, id);
  await end();
  expect(await waiting).toMatchObject({ 'error-code': 'stopped' });
  expect(await client.closed).toBe(1008);
  const again = await api.open(modelPath);
  expect((await again.login(`user-${user}`, 'x')).error).toBeDefined();
});

test('a connection to the controller stays while a model is revoked, and so does one whose access falls', async () => {
  const [controller, model] = [await connect('/api'), await connect()];
  await modelAccess('grant', 'write');
  await modelAccess('revoke', 'write');
  expect((await model.call('Client', 8, 'FullStatus', { patterns: [] })).error).toBeUndefined();
  await modelAccess('revoke', 'read');
  expect(await model.closed).toBe(1008);
  expect((await controller.call('Pinger', 1, 'Ping')).error).toBeUndefined();
});

test('a user who revokes his own access still gets the answer', async () => {
  await modelAccess('grant', 'admin');
  const client = await connect('/api');
  const watched = await connect();
  const { error, response } = await client.call('ModelManager', 10, 'ModifyModelAccess', {
    changes: ['admin', 'write', 'read'].map((access) => ({
      'user-tag': `user-${user}`,
      action: 'revoke',
      access,
      'model-tag': `model-${testModel}`,
    })),
  });
  expect(error).toBeUndefined();
  // A user who has lost admin access revokes nothing further.
  expect((response as { results: object[] }).results.map((one) => Object.keys(one))).toEqual([
    [],
    ['error'],
    ['error'],
  ]);
  await modelAccess('revoke', 'read');
  expect(await watched.closed).toBe(1008);
});

test('a superuser may be made and unmade while connected', async () => {
  const client = await connect('/api');
  const ask = async (): Promise<string | undefined> =>
    (await client.call('Controller', 12, 'AllModels')).error;
  expect(await ask()).toBe('permission denied');
  const superuser = (action: string): Promise<void> =>
    change('Controller', 12, 'ModifyControllerAccess', {
      changes: [{ 'user-tag': `user-${user}`, action, access: 'superuser' }],
    });
  await superuser('grant');
  expect(await ask()).toBeUndefined();
  await superuser('revoke');
  expect(await ask()).toBe('permission denied');
});

test('a running debug-log ends with the access to the model', async () => {
  const auth = `Basic ${Buffer.from(`user-${user}:x`).toString('base64')}`;
  const client = await api.open(`/model/${testModel}/log`, { Authorization: auth });
  expect(await client.next()).toBe('{}\n');
  await modelAccess('revoke', 'read');
  expect(await client.closed).toBe(1008);
});
