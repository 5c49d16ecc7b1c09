/** Logins, and what is served before them. */
import { describe, expect, it } from 'vitest';
import {
  machineNonce,
  machineSecret,
  otherModel,
  testModel,
  controllerUuid,
} from '../../testing/api-server.ts';
import { api, modelPath, connectAs, prepareServer } from '../../testing/session-world.ts';

prepareServer();

describe('login', () => {
  it('a login tells users their identity and the facades that are served', async () => {
    const client = await api.open(modelPath);
    const { response } = await client.login('user-reader');
    expect(response).toEqual({
      servers: [
        [
          { value: '10.0.0.5', type: 'ipv4', scope: 'local-cloud', port: 17070 },
          { value: 'fd00::5', type: 'ipv6', scope: 'local-cloud', port: 17070 },
        ],
      ],
      'public-dns-name': '',
      'model-tag': `model-${testModel}`,
      'controller-tag': `controller-${controllerUuid}`,
      'user-info': expect.objectContaining({
        identity: 'user-reader',
        'display-name': '',
        'controller-access': 'login',
        'model-access': 'read',
      }) as unknown,
      facades: [
        { name: 'AllWatcher', versions: [3] },
        { name: 'Pinger', versions: [1] },
        { name: 'Sample', versions: [2, 3] },
      ],
      'server-version': '3.6.28',
    });
  });

  it.each(['/', '/api'])('a login on %s is for the controller', async (path) => {
    const client = await api.open(path);
    const { response } = await client.login('user-admin');
    expect(response).not.toHaveProperty('model-tag');
    expect(response).toMatchObject({
      'user-info': { identity: 'user-admin', 'controller-access': 'superuser' },
      facades: [
        { name: 'ControllerSample', versions: [9, 10] },
        { name: 'Pinger', versions: [1] },
      ],
    });
  });

  it('a login announces facades that Juju does not have to clients that ask, and they are served to all', async () => {
    const names = async (more: object): Promise<string[]> => {
      const client = await api.open('/api');
      const params = { 'auth-tag': 'user-admin', credentials: 'sesame', ...more };
      const { response } = await client.call('Admin', 3, 'Login', params);
      expect((await client.call('OwnSample', 1, 'Get')).error).toBeUndefined();
      return (response as { facades: { name: string }[] }).facades.map(({ name }) => name);
    };
    expect(await names({})).toEqual(['ControllerSample', 'Pinger']);
    expect(await names({ 'own-facades': true })).toEqual(['ControllerSample', 'OwnSample', 'Pinger']);
  });

  it('a login takes what jujulib and python send', async () => {
    const jujulib = await api.open('/api');
    const params = {
      'auth-tag': 'user-admin',
      'client-version': '4.0.12',
      credentials: 'sesame',
      macaroons: [],
      nonce: '',
      'user-data': '',
    };
    expect((await jujulib.call('Admin', 3, 'Login', params)).error).toBeUndefined();
    const python = await api.open('/api');
    const text = `{\n  "type": "Admin", "request": "Login", "version": 3,\n "params": {"auth-tag": "user-admin", "client-version": "3.5.2.0", "credentials": "sesame"}, "request-id": 1\n}`;
    python.send(text);
    expect((await python.nextFrame()).error).toBeUndefined();
  });

  it('a login records its time for the user', async () => {
    const first = await connectAs('writer');
    first.socket.close();
    await expect.poll(() => api.store.read().get('last-login', `writer ${testModel}`)?.user).toBe('writer');
    const { response } = await (await api.open(modelPath)).login('user-writer');
    expect(response).toHaveProperty(['user-info', 'last-connection']);
  });

  it.each([
    ['a wrong password', 'user-reader', 'guess'],
    ['an unknown user', 'user-nobody', 'sesame'],
    ['a disabled user', 'user-disabled', 'sesame'],
    ['no user', '', 'sesame'],
    ['no tag at all', 'reader', 'sesame'],
    ['a unit', 'unit-mysql-0', 'sesame'],
    ['a machine with a wrong secret', 'machine-0', 'guess'],
    ['a machine that is not there', 'machine-7', machineSecret],
  ])('a login with %s is refused, always in the same words', async (_name, tag, credentials) => {
    const client = await api.open(modelPath);
    expect(await client.login(tag, credentials, machineNonce)).toEqual({
      'request-id': 1,
      error: 'invalid entity name or password',
      'error-code': 'unauthorized access',
      response: {},
    });
    expect((await client.call('Sample', 3, 'Void'))['error-code']).toBe('not implemented');
  });

  it('a login of a user without access to the model is refused', async () => {
    const client = await api.open(modelPath);
    expect(await client.login('user-stranger')).toMatchObject({
      error: 'permission denied',
      'error-code': 'unauthorized access',
    });
    const other = await api.open(`/model/${otherModel}/api`);
    expect((await other.login('user-owner')).error).toBe('permission denied');
  });

  it('a login happens once for a connection', async () => {
    const client = await connectAs('reader');
    expect((await client.login('user-admin')).error).toBe('already logged in');
    const eager = await api.open(modelPath);
    const answers = await Promise.all([eager.login('user-reader'), eager.login('user-admin')]);
    expect(answers.map((answer) => answer.error)).toEqual([undefined, 'already logged in']);
  });

  it('a login may be tried again after a failure', async () => {
    const client = await api.open(modelPath);
    await client.login('user-owner', 'mistyped');
    expect((await client.login('user-owner')).error).toBeUndefined();
  });

  it('Admin has one version and no redirection', async () => {
    const client = await api.open('/api');
    expect(await client.call('Admin', 4, 'LoginDevice')).toMatchObject({ 'error-code': 'not supported' });
    expect(await client.call('Admin', 3, 'RedirectInfo')).toMatchObject({ error: 'not redirected' });
    expect(await client.call('Admin', 3, 'Nonsense')).toMatchObject({
      error: 'no such request - method Admin(3).Nonsense is not implemented',
      'error-code': 'not implemented',
    });
  });
});

describe('requests before the login', () => {
  it('no facade exists before the login', async () => {
    const client = await api.open(modelPath);
    for (const [type, version, error] of [
      ['Sample', 3, 'unknown version (3) of interface "Sample"'],
      ['Pinger', 1, 'unknown version (1) of interface "Pinger"'],
      ['Sample', 0, 'unknown object type "Sample"'],
    ] as const)
      expect(await client.call(type, version, 'Void')).toMatchObject({
        error,
        'error-code': 'not implemented',
      });
  });

  it.each(['0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7bff', 'nonsense', '%00'])(
    'every request on an unknown model %s is answered with the same error',
    async (uuid) => {
      const client = await api.open(`/model/${uuid}/api`);
      const expected = { error: `unknown model: "${uuid}"`, 'error-code': 'model not found' };
      expect(await client.login('user-admin')).toMatchObject(expected);
      expect(await client.call('Pinger', 1, 'Ping')).toMatchObject(expected);
    },
  );
});
