import fc, { runs } from '../../testing/fast-check.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JujuError } from '../../core/errors.ts';
import { notYet, type FacadeSpec } from '../../wire/facade-spec.ts';
import {
  machineNonce,
  machineSecret,
  otherModel,
  startApiServer,
  testModel,
  controllerUuid,
  type ApiClient,
  type ApiServer,
} from '../../testing/api-server.ts';
import type { FacadeTable } from '../facade.ts';
import { hashSecret } from '../passwords.ts';
import { allWatcher } from '../facades/all-watcher/index.ts';
import { pinger } from '../facades/pinger/index.ts';
import { allWatcher as allWatcherSpec } from '../../wire/facades/all-watcher.ts';
import { pinger as pingerSpec } from '../../wire/facades/pinger.ts';

const nothing = z.object({});
const text = z.object({ text: z.string() });
const sampleSpec = {
  name: 'Sample',
  versions: [2, 3],
  on: 'model',
  notServed: { Refused: notYet('refusing', { until: 2 }) },
  methods: {
    Echo: { params: text, result: text },
    Newer: { since: 3, params: nothing, result: nothing },
    Older: { until: 2, params: nothing, result: nothing },
    Changed: {
      params: z.object({ one: z.string(), two: z.string().exactOptional() }),
      result: z.strictObject({ keys: z.array(z.string()) }),
      older: [{ until: 2, params: z.object({ one: z.string() }), result: text }],
    },
    Void: { params: nothing, result: nothing },
    Write: { params: nothing, result: nothing },
    Admin: { params: nothing, result: nothing },
    Super: { params: nothing, result: nothing },
    Fail: { params: nothing, result: nothing },
    Crash: { params: nothing, result: nothing },
    Wrong: { params: nothing, result: text },
    More: { params: nothing, result: text },
    Wait: { params: nothing, result: nothing },
    Release: { params: nothing, result: nothing },
    Large: { params: z.object({ bytes: z.int() }), result: text },
  },
} as const satisfies FacadeSpec;

const gates: (() => void)[] = [];
const sample: FacadeTable<typeof sampleSpec> = {
  Echo: { needs: 'model-read', run: (_call, params) => params },
  Newer: { needs: 'model-read', run: () => ({}) },
  Older: { needs: 'model-read', run: () => ({}) },
  Changed: {
    needs: 'model-read',
    run: ({ version }, params) => {
      const keys = Object.keys(params);
      return version === 2 ? { text: keys.join(' ') } : { keys };
    },
  },
  Void: { needs: 'login', run: () => undefined as unknown as Record<string, never> },
  Write: { needs: 'model-write', run: () => ({}) },
  Admin: { needs: 'model-admin', run: () => ({}) },
  Super: { needs: 'superuser', run: () => ({}) },
  Fail: {
    needs: 'login',
    run: () => {
      throw new JujuError('operation is blocked', 'the operation has been blocked', {
        info: { why: 'test' },
      });
    },
  },
  Crash: {
    needs: 'login',
    run: () => {
      throw new Error('the password of the database is hunter2');
    },
  },
  Wrong: { needs: 'login', run: () => ({ text: 3 }) as unknown as { text: string } },
  More: { needs: 'login', run: () => ({ text: 'x', more: 1 }) },
  Wait: {
    needs: 'login',
    run: () => new Promise((resolve) => gates.push(() => resolve({}))),
  },
  Release: {
    needs: 'login',
    run: () => {
      for (const release of gates.splice(0)) release();
      return {};
    },
  },
  Large: { needs: 'login', run: (_call, { bytes }) => ({ text: 'x'.repeat(bytes) }) },
};

const agentSpec = {
  name: 'AgentSample',
  versions: [1],
  on: 'model',
  methods: { Who: { params: nothing, result: text } },
} as const satisfies FacadeSpec;
const agentTable: FacadeTable<typeof agentSpec> = {
  Who: { needs: 'agent', run: ({ caller }) => ({ text: caller.kind === 'machine' ? caller.machine : '' }) },
};
const controllerSpec = {
  name: 'ControllerSample',
  versions: [9, 10],
  on: 'controller',
  methods: { Get: { params: nothing, result: nothing } },
} as const satisfies FacadeSpec;
const controllerTable: FacadeTable<typeof controllerSpec> = { Get: { needs: 'login', run: () => ({}) } };

const ownSpec = {
  ...controllerSpec,
  name: 'OwnSample',
  versions: [1],
  own: true,
} as const satisfies FacadeSpec;

const facades = [
  { spec: ownSpec, table: controllerTable },
  { spec: sampleSpec, table: sample },
  { spec: agentSpec, table: agentTable },
  { spec: controllerSpec, table: controllerTable },
  { spec: pingerSpec, table: pinger },
  { spec: allWatcherSpec, table: allWatcher },
];

let api: ApiServer;
beforeAll(async () => {
  api = await startApiServer({
    facades,
    validate: true,
    limits: { requestBytes: 100_000, messageBytes: 1_000_000, concurrentRequests: 50 },
  });
});
afterAll(() => api.stop());

const modelPath = `/model/${testModel}/api`;
async function connectAs(user: string, path = modelPath): Promise<ApiClient> {
  const client = await api.open(path);
  const answer = await client.login(`user-${user}`);
  expect(answer.error).toBeUndefined();
  return client;
}

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
    ['no password', 'user-reader', ''],
    ['an unknown user', 'user-nobody', 'sesame'],
    ['a disabled user', 'user-disabled', 'sesame'],
    ['no user', '', 'sesame'],
    ['no tag at all', 'reader', 'sesame'],
    ['a unit', 'unit-mysql-0', 'sesame'],
    ['a machine with a wrong secret', 'machine-0', 'guess'],
    ['a machine that is not there', 'machine-7', machineSecret],
  ])('with %s is refused, always in the same words', async (_name, tag, credentials) => {
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
    'an unknown model %s answers every request so',
    async (uuid) => {
      const client = await api.open(`/model/${uuid}/api`);
      const expected = { error: `unknown model: "${uuid}"`, 'error-code': 'model not found' };
      expect(await client.login('user-admin')).toMatchObject(expected);
      expect(await client.call('Pinger', 1, 'Ping')).toMatchObject(expected);
    },
  );
});

describe('a request', () => {
  it.each([
    [
      'an unknown facade',
      'Nonsense',
      3,
      'Get',
      'unknown version (3) of interface "Nonsense"',
      'not implemented',
    ],
    ['without a version', 'Nonsense', 0, 'Get', 'unknown object type "Nonsense"', 'not implemented'],
    [
      'a prototype member',
      '__proto__',
      1,
      'toString',
      'unknown version (1) of interface "__proto__"',
      'not implemented',
    ],
    [
      'an unknown version',
      'Sample',
      99,
      'Void',
      'unknown version (99) of interface "Sample"',
      'not implemented',
    ],
    [
      'an unknown method',
      'Sample',
      3,
      'Nonsense',
      'no such request - method Sample(3).Nonsense is not implemented',
      'not implemented',
    ],
    [
      'an inherited method',
      'Sample',
      3,
      'constructor',
      'no such request - method Sample(3).constructor is not implemented',
      'not implemented',
    ],
    [
      'a method that is newer',
      'Sample',
      2,
      'Newer',
      'no such request - method Sample(2).Newer is not implemented',
      'not implemented',
    ],
    [
      'a method that only an older version has',
      'Sample',
      3,
      'Older',
      'no such request - method Sample(3).Older is not implemented',
      'not implemented',
    ],
    [
      'a method of an older version that is not served',
      'Sample',
      3,
      'Refused',
      'no such request - method Sample(3).Refused is not implemented',
      'not implemented',
    ],
    [
      'a method that is not served',
      'Sample',
      2,
      'Refused',
      'refusing is not implemented by this controller',
      'not implemented',
    ],
    [
      'the other kind of connection',
      'ControllerSample',
      10,
      'Get',
      'facade "ControllerSample" not supported for model API connection',
      'not supported',
    ],
  ])('for %s is told so', async (_name, type, version, request, error, code) => {
    const client = await connectAs('reader');
    expect(await client.call(type, version, request)).toEqual({
      'request-id': 2,
      error,
      'error-code': code,
      response: {},
    });
  });

  it.each([
    [2, { text: 'one' }],
    [3, { keys: ['one', 'two'] }],
  ])('in version %i has the schemas of that version', async (version, response) => {
    const client = await connectAs('reader');
    const params = { one: '1', two: '2', three: '3' };
    expect(await client.call('Sample', version, 'Changed', params)).toEqual({ 'request-id': 2, response });
  });

  it('a request for a model facade on a controller connection is told so', async () => {
    const client = await connectAs('admin', '/api');
    expect(await client.call('Sample', 3, 'Void')).toMatchObject({
      error: 'facade "Sample" not supported for controller API connection',
      'error-code': 'not supported',
    });
  });

  it('a request has an id only where there are watchers', async () => {
    const client = await connectAs('reader');
    expect(await client.call('Sample', 3, 'Void', {}, '1')).toMatchObject({
      error: 'id not found',
      'error-code': 'not found',
    });
    expect(await client.call('AllWatcher', 3, 'Next', {}, '42')).toMatchObject({
      error: 'unknown watcher id',
      'error-code': 'not found',
    });
  });

  it('a request of the wrong type is told what is wrong', async () => {
    const client = await connectAs('reader');
    expect(await client.call('Sample', 3, 'Echo', { text: 5 })).toEqual({
      'request-id': 2,
      error: 'json: cannot unmarshal number 5 into Go struct field params.text of type string',
      response: {},
    });
    expect((await client.call('Sample', 3, 'Echo', { Text: 'x' })).response).toEqual({ text: 'x' });
    expect((await client.call('Sample', 3, 'Echo', null)).response).toEqual({ text: '' });
  });

  it('a request whose method returns nothing is answered', async () => {
    const client = await connectAs('reader');
    expect(await client.call('Sample', 3, 'Void')).toEqual({ 'request-id': 2, response: {} });
  });

  it('a failing method sends code and info; a crashing one sends no details', async () => {
    const client = await connectAs('reader');
    expect(await client.call('Sample', 3, 'Fail')).toMatchObject({
      error: 'the operation has been blocked',
      'error-code': 'operation is blocked',
      'error-info': { why: 'test' },
    });
    expect(await client.call('Sample', 3, 'Crash')).toEqual({
      'request-id': 3,
      error: 'internal error',
      response: {},
    });
    expect(api.records.some((record) => record.message.includes('hunter2'))).toBe(true);
  });

  it('a waiting request does not block others', async () => {
    const client = await connectAs('reader');
    const waiting = client.call('Sample', 3, 'Wait');
    expect((await client.call('Sample', 3, 'Echo', { text: 'meanwhile' })).response).toEqual({
      text: 'meanwhile',
    });
    await client.call('Sample', 3, 'Release');
    expect((await waiting).response).toEqual({});
  });

  it('a request is refused when too many are in progress', async () => {
    const client = await connectAs('reader');
    const waiting = Array.from({ length: 50 }, () => client.call('Sample', 3, 'Wait'));
    expect(await client.call('Sample', 3, 'Void')).toMatchObject({ 'error-code': 'try again' });
    for (const release of gates.splice(0)) release();
    await Promise.all(waiting);
    expect((await client.call('Sample', 3, 'Void')).error).toBeUndefined();
  });
});

describe('access', () => {
  const denied = { error: 'permission denied', 'error-code': 'unauthorized access' };
  it.each([
    ['reader', { Echo: true, Write: false, Admin: false, Super: false }],
    ['writer', { Echo: true, Write: true, Admin: false, Super: false }],
    ['owner', { Echo: true, Write: true, Admin: true, Super: false }],
    ['admin', { Echo: true, Write: true, Admin: true, Super: true }],
  ])('of %s', async (user, expected) => {
    const client = await connectAs(user);
    for (const [method, allowed] of Object.entries(expected)) {
      const answer = await client.call('Sample', 3, method, { text: '' });
      if (allowed) expect(answer.error, method).toBeUndefined();
      else expect(answer, method).toMatchObject(denied);
    }
    expect(await client.call('AgentSample', 1, 'Who')).toMatchObject(denied);
  });

  it("a machine can use agents' methods only", async () => {
    const client = await api.open(modelPath);
    const { response } = await client.login('machine-0', machineSecret, machineNonce);
    expect(response).toMatchObject({
      facades: [
        { name: 'AgentSample', versions: [1] },
        { name: 'Pinger', versions: [1] },
      ],
    });
    expect(response).not.toHaveProperty('user-info');
    expect((await client.call('AgentSample', 1, 'Who')).response).toEqual({ text: '0' });
    expect((await client.call('Pinger', 1, 'Ping')).response).toEqual({});
    for (const method of Object.keys(sampleSpec.methods))
      expect(await client.call('Sample', method === 'Older' ? 2 : 3, method), method).toMatchObject(denied);
  });

  it('a login of a machine needs its nonce and its model', async () => {
    const client = await api.open(modelPath);
    expect(await client.login('machine-0', machineSecret, 'another')).toMatchObject({
      'error-code': 'not provisioned',
    });
    const controller = await api.open('/api');
    expect((await controller.login('machine-0', machineSecret, machineNonce))['error-code']).toBe(
      'unauthorized access',
    );
  });

  it('the agent of an enlisted host is told that its machine was removed, with its model too', async () => {
    const nonce = 'manual:10.0.0.1:1';
    const removal = { at: '2026-01-01T00:00:00Z', nonce, passwordHash: hashSecret('own') };
    const lostModel = '7ce8b4d2-4d0b-4f5f-8c36-3b0a8f1f5a11';
    await api.store.change((tx) => {
      for (const model of [testModel, lostModel])
        tx.put('host', `${model} 70`, { model, machine: '70', instanceId: 'manual:10.0.0.1', gone: removal });
    }, 'test');
    const answer = async (model: string, ...login: [string, string, string]): Promise<unknown> =>
      (await (await api.open(`/model/${model}/api`)).login(...login))['error-code'];
    for (const model of [testModel, lostModel]) {
      expect(await answer(model, 'machine-70', 'own', nonce)).toBe('dead');
      // Nobody else learns it, and no other machine does.
      expect(await answer(model, 'machine-70', 'guess', nonce)).toBe('unauthorized access');
      expect(await answer(model, 'machine-70', 'own', 'manual:10.0.0.1:2')).toBe('unauthorized access');
    }
    expect(await answer(testModel, 'machine-71', 'own', nonce)).toBe('unauthorized access');
    expect(await answer(lostModel, 'machine-71', 'own', nonce)).toBe('model not found');
  });

  it('access ends when it is revoked', async () => {
    const change = (access: 'read' | 'write'): Promise<void> =>
      api.store.change(
        (tx) => tx.put('access', `writer ${testModel}`, { user: 'writer', model: testModel, access }),
        'test',
      );
    const client = await connectAs('writer');
    await change('read');
    expect(await client.call('Sample', 3, 'Write')).toMatchObject(denied);
    await change('write');
    expect((await client.call('Sample', 3, 'Write')).error).toBeUndefined();
  });
});

describe('results', () => {
  it.each(['Wrong', 'More'])('a result that its schema does not allow is found: %s', async (method) => {
    const client = await connectAs('reader');
    const before = api.server.validationFailures.length;
    expect((await client.call('Sample', 3, method)).error).toBe('internal error');
    expect(api.server.validationFailures.slice(before)).toEqual([
      expect.objectContaining({ facade: 'Sample', method }),
    ]);
  });
});

describe('bad frames', () => {
  it.each(['', '{', 'null', '[]', '"x"', '{"request-id":"1"}', '\u0000', '{"request-id":1e400}'])(
    '%j is answered and the connection kept',
    async (text) => {
      const client = await connectAs('reader');
      client.send(text);
      expect(await client.nextFrame()).toMatchObject({ 'request-id': 0, 'error-code': 'bad request' });
      expect((await client.call('Sample', 3, 'Echo', { text: 'still' })).response).toEqual({ text: 'still' });
    },
  );

  it('a request that is too long is answered by its number and the connection kept', async () => {
    const client = await connectAs('reader');
    expect(await client.call('Sample', 3, 'Echo', { text: 'x'.repeat(200_000) })).toMatchObject({
      'error-code': 'bad request',
      error: expect.stringContaining('exceed the limit') as unknown,
    });
    expect((await client.call('Sample', 3, 'Void')).error).toBeUndefined();
  });

  it('a message far over the limit ends its connection, and only that', async () => {
    const [client, other] = await Promise.all([connectAs('reader'), connectAs('reader')]);
    client.send('x'.repeat(2_000_000));
    expect(await client.closed).toBe(1009);
    expect((await other.call('Sample', 3, 'Void')).error).toBeUndefined();
  });

  it('a deeply nested frame is refused', async () => {
    const client = await connectAs('reader');
    client.send(
      `{"request-id":9,"type":"Sample","version":3,"request":"Echo","params":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
    );
    expect((await client.nextFrame())['request-id']).toBe(9);
    expect((await client.call('Sample', 3, 'Void')).error).toBeUndefined();
  });

  it('a bad frame of any kind leaves the controller unharmed', async () => {
    const client = await connectAs('reader');
    const sampleLike = fc.record(
      {
        'request-id': fc.oneof(fc.nat(), fc.jsonValue()),
        type: fc.oneof(
          fc.constantFrom('Sample', 'Pinger', 'AllWatcher', 'Admin', '__proto__'),
          fc.jsonValue(),
        ),
        version: fc.oneof(fc.constantFrom(1, 3), fc.jsonValue()),
        id: fc.jsonValue(),
        request: fc.oneof(fc.constantFrom('Echo', 'Next', 'Login', 'Stop', 'constructor'), fc.jsonValue()),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const frames = fc.oneof(
      fc.string(),
      fc.json(),
      sampleLike.map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(frames, async (frame) => {
        client.send(frame);
        const answer = await client.nextFrame();
        expect(typeof answer['request-id']).toBe('number');
      }),
      { numRuns: runs(400) },
    );
    expect((await (await connectAs('reader')).call('Sample', 3, 'Void')).error).toBeUndefined();
    expect(
      api.records.filter(
        (record) => record.level === 'ERROR' && !/hunter2|wire\/ declares/.test(record.message),
      ),
    ).toEqual([]);
  });
});

describe('presence', () => {
  it('a new connection of an agent ends the one before', async () => {
    const messages: string[] = [];
    const unwatch = api.presence.watch((model, machine) => {
      if (model === otherModel) messages.push(`${machine} ${api.presence.isPresent(model, machine)}`);
    });
    const path = `/model/${otherModel}/api`;
    expect(api.presence.isPresent(otherModel, '0')).toBe(false);
    const first = await api.open(path);
    await first.login('machine-0', machineSecret, machineNonce);
    const second = await api.open(path);
    await second.login('machine-0', machineSecret, machineNonce);
    await first.closed;
    expect((await second.call('AgentSample', 1, 'Who')).error).toBeUndefined();
    expect(api.presence.isPresent(otherModel, '0')).toBe(true);
    expect(api.presence.heardAt(otherModel, '0')).toMatch(/Z$/);
    second.socket.terminate();
    await expect.poll(() => api.presence.isPresent(otherModel, '0')).toBe(false);
    expect(messages).toEqual(['0 true', '0 false']);
    unwatch();
  });
});

it('other paths accept no WebSocket', async () => {
  await expect(api.open('/nonsense')).rejects.toThrow('404');
  await expect(api.open(`/model/${testModel}/nonsense`)).rejects.toThrow('404');
});
