/** Requests after the login: access, results, presence. */
import { describe, expect, it } from 'vitest';
import { machineNonce, machineSecret, otherModel, testModel } from '../../testing/api-server.ts';
import { hashSecret } from '../passwords.ts';
import { sampleSpec, gates, api, modelPath, connectAs, prepareServer } from '../../testing/session-world.ts';

prepareServer();

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
  ])(
    'a request for %s is answered with an error that says so',
    async (_name, type, version, request, error, code) => {
      const client = await connectAs('reader');
      expect(await client.call(type, version, request)).toEqual({
        'request-id': 2,
        error,
        'error-code': code,
        response: {},
      });
    },
  );

  it.each([
    [2, { text: 'one' }],
    [3, { keys: ['one', 'two'] }],
  ])('a request in version %i has the schemas of that version', async (version, response) => {
    const client = await connectAs('reader');
    const params = { one: '1', two: '2', three: '3' };
    expect(await client.call('Sample', version, 'Changed', params)).toEqual({ 'request-id': 2, response });
  });

  it('a request for a model facade on a controller connection is answered with an error that says so', async () => {
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
  ])('the access of %s', async (user, expected) => {
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
    const movedModel = '7ce8b4d2-4d0b-4f5f-8c36-3b0a8f1f5a12';
    await api.store.change((tx) => {
      const of = { model: movedModel, attempt: 0, startedAt: tx.now, phaseAt: tx.now, message: '' };
      const target = { uuid: 'u', alias: '', addresses: ['10.0.0.9:1'], caCert: '', user: 'user-admin' };
      tx.put('migration', movedModel, { ...of, phase: 'DONE', target });
      const instanceId = 'manual:10.0.0.1';
      tx.put('host', `${movedModel} 70`, { model: movedModel, machine: '70', instanceId, gone: removal });
    }, 'test');
    const answer = async (model: string, ...login: [string, string, string]): Promise<unknown> =>
      (await (await api.open(`/model/${model}/api`)).login(...login))['error-code'];
    for (const model of [testModel, lostModel, movedModel]) {
      expect(await answer(model, 'machine-70', 'own', nonce)).toBe('dead');
      // Nobody else learns that the machine was removed, and no other machine does.
      expect(await answer(model, 'machine-70', 'guess', nonce)).toBe('unauthorized access');
      expect(await answer(model, 'machine-70', 'own', 'manual:10.0.0.1:2')).toBe('unauthorized access');
    }
    expect(await answer(testModel, 'machine-71', 'own', nonce)).toBe('unauthorized access');
    expect(await answer(lostModel, 'machine-71', 'own', nonce)).toBe('model not found');
    expect(await answer(movedModel, 'machine-71', 'own', nonce)).toBe('redirection required');
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

describe('presence', () => {
  it('a new connection of an agent ends its former connection', async () => {
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
