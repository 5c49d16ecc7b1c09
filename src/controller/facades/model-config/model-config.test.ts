import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('ModelConfig', method, params, how);
type Config = Record<string, { value: unknown; source: string } | undefined>;
const get = async (how?: object): Promise<Config> =>
  (await call<{ config: Config }>('ModelGet', {}, how)).config;

test('ModelGet returns each value with its source, and the model’s own facts', async () => {
  expect(await get()).toMatchObject({
    name: { value: 'default', source: 'model' },
    uuid: { value: callers.model, source: 'model' },
    type: { value: 'test', source: 'model' },
    'agent-version': { value: '3.6.28', source: 'model' },
    'automatically-retry-hooks': { value: true, source: 'default' },
    'update-status-hook-interval': { value: '5m', source: 'default' },
    'test-size': { value: 3, source: 'default' },
  });
  expect(await get()).not.toHaveProperty('test-token');
});

test('ModelGet leaves out keys without a default, until they are set', async () => {
  const keys = [
    'extra-info',
    'syslog-host',
    'storage-default-block-source',
    'storage-default-filesystem-source',
  ];
  for (const key of keys) expect(await get()).not.toHaveProperty(key);
  await call('ModelSet', { config: { 'syslog-host': 'logs:514' } });
  expect(await get()).toMatchObject({ 'syslog-host': { value: 'logs:514', source: 'model' } });
});

test('ModelSet and ModelUnset change values, and unknown keys are kept', async () => {
  await call('ModelSet', {
    config: { 'update-status-hook-interval': '2m', colour: 'red', 'num-provision-workers': '8' },
  });
  expect(await get()).toMatchObject({
    'update-status-hook-interval': { value: '2m', source: 'model' },
    colour: { value: 'red', source: 'model' },
    'num-provision-workers': { value: 8, source: 'model' },
  });
  await call('ModelUnset', { keys: ['update-status-hook-interval', 'colour', 'never-set'] });
  expect(await get()).toMatchObject({ 'update-status-hook-interval': { value: '5m', source: 'default' } });
  expect(await get()).not.toHaveProperty('colour');
});

test('ModelSet refuses all values when one is wrong or cannot change', async () => {
  await expect(
    call('ModelSet', { config: { colour: 'red', 'automatically-retry-hooks': 'maybe' } }),
  ).rejects.toMatchObject({ code: 'not valid' });
  expect(await get()).not.toHaveProperty('colour');
  await expect(call('ModelSet', { config: { uuid: 'other' } })).rejects.toThrow(/cannot change uuid/);
  await call('ModelSet', { config: { uuid: callers.model, name: 'default' } });
  expect(callers.store.read().get('model', callers.model)?.config).toEqual({});
});

test('provider settings that the provider refuses are refused as a whole, as at the model’s creation', async () => {
  const change = call('ModelSet', { config: { colour: 'red', 'test-size': '13' } });
  await expect(change).rejects.toMatchObject({
    code: 'not valid',
    message: 'test-size: 13 is not supported',
  });
  expect(await get()).not.toHaveProperty('colour');
  await call('ModelSet', { config: { 'test-size': '12' } });
  expect(await get()).toMatchObject({ 'test-size': { value: 12, source: 'model' } });
  await call('ModelUnset', { keys: ['test-size'] });
  expect(await get()).toMatchObject({ 'test-size': { value: 3, source: 'default' } });
});

test('constraints of the model are set and returned', async () => {
  await call('SetModelConstraints', { application: '', constraints: { mem: 2048 } });
  expect(await call('GetModelConstraints')).toEqual({ constraints: { mem: 2048 } });
});

test('Sequences returns the next numbers', async () => {
  await callers.change((tx) => {
    tx.put('sequence', 'unit mysql', { name: 'unit mysql', next: 4 });
    tx.put('sequence', 'machine', { name: 'machine', next: 2 });
  });
  expect(await call('Sequences')).toEqual({ sequences: { 'application-mysql': 4, machine: 2 } });
});

test('a call on a controller connection is for the controller model', async () => {
  expect(await get({ model: '' })).toMatchObject({
    name: { value: 'controller' },
    uuid: { value: callers.controllerModel },
  });
});

describe("the provider's own settings", () => {
  const stored = () => callers.store.read().get('model', callers.model)?.config ?? {};

  test('a secret is sealed in the model, and never shown', async () => {
    await call('ModelSet', { config: { 'test-token': 'hunter2', colour: 'red' } });
    expect(stored()['test-token']).toMatch(/^sealed:/);
    const all = {
      config: await get(),
      history: await callers.call('Lives', 'History', { names: [], limit: 0 }, { as: 'admin' }),
    };
    expect(all.config).toHaveProperty('colour');
    expect(JSON.stringify(all.history)).toContain('colour');
    expect(all.config).not.toHaveProperty('test-token');
    expect(JSON.stringify(all)).not.toMatch(/hunter2|sealed:/);
    // The sealed value stays the same as long as nobody sets another one.
    const sealed = stored()['test-token'];
    await call('ModelSet', { config: { colour: 'blue' } });
    expect(stored()['test-token']).toBe(sealed);
    await call('ModelUnset', { keys: ['test-token'] });
    expect(stored()).not.toHaveProperty('test-token');
  });

  test('a setting that all models of a controller share is changed in none', async () => {
    await expect(call('ModelSet', { config: { 'test-network': 'other' } })).rejects.toMatchObject({
      code: 'not valid',
      message: expect.stringContaining(
        'test-network is the same in all models of a controller (here "own")',
      ) as string,
    });
    await call('ModelSet', { config: { 'test-network': 'own' } });
    const add = (config: object) =>
      callers.call('ModelManager', 'CreateModel', { name: 'm', 'owner-tag': 'user-admin', config });
    await expect(add({ 'test-network': 'other' })).rejects.toThrow('the same in all models');
    await expect(add({ 'firewall-mode': 'global' })).rejects.toThrow(
      'firewall-mode "global" is not supported by cloud "home" (type test), it has: instance, none',
    );
    await add({ 'test-network': 'own' });
  });

  test('a limit of SSH is refused where no firewall would keep it', async () => {
    const why = 'ssh-allow has no effect on machines without a firewall';
    const add = (config: object) =>
      callers.call('ModelManager', 'CreateModel', { name: 'm', 'owner-tag': 'user-admin', config });
    for (const limit of ['192.0.2.0/24', '0.0.0.0/0', '']) {
      await expect(call('ModelSet', { config: { 'ssh-allow': limit } })).rejects.toThrow(why);
      await expect(add({ 'firewall-mode': 'none', 'ssh-allow': limit })).rejects.toThrow(why);
    }
    await call('ModelSet', { config: { 'ssh-allow': '0.0.0.0/0,::/0' } });
    await call('ModelUnset', { keys: ['ssh-allow'] });
    await add({ 'ssh-allow': '192.0.2.0/24' });
  });

  test('a setting that the provider has upgraded is stored', async () => {
    await call('ModelSet', { config: { 'test-bytes': 4096 } });
    expect(stored()).toEqual({ 'test-size': 4 });
  });
});

test('keys that log in are changed by KeyManager alone, which only admins of the model may call', async () => {
  await callers.change((tx) => {
    const root = tx.in('');
    const model = root.get('model', callers.model)!;
    root.put('model', callers.model, { ...model, config: { ...model.config, 'authorized-keys': 'kept' } });
  });
  await callers.addUser('bob');
  await callers.grant('bob', 'write');
  for (const as of ['bob', 'admin']) {
    const set = call('ModelSet', { config: { 'authorized-keys': 'ssh-rsa AAAA' } }, { as });
    await expect(set).rejects.toThrow('authorized-keys cannot be set');
    const unset = call('ModelUnset', { keys: ['authorized-keys'] }, { as });
    await expect(unset).rejects.toThrow('cannot clear authorized-keys');
  }
  expect(callers.store.read().in('').get('model', callers.model)?.config['authorized-keys']).toBe('kept');
});

test.each(['agent-version', 'charmhub-url'])('the setting %s is not reset', async (key) => {
  const keys = ['syslog-host', key];
  await call('ModelSet', { config: { 'syslog-host': 'a:1' } });
  await expect(call('ModelUnset', { keys })).rejects.toThrow(`cannot clear ${key}`);
  expect((await get())['syslog-host']?.value).toBe('a:1');
});

test('the level TRACE is set by superusers alone', async () => {
  await callers.addUser('bob');
  await callers.grant('bob', 'admin');
  const set = (level: string, as: string): Promise<unknown> =>
    call('ModelSet', { config: { 'logging-config': `<root>=INFO;unit=${level}` } }, { as });
  await set('DEBUG', 'bob');
  const refusal = "only controller admins can set a model's logging level to TRACE";
  await expect(set('trace', 'bob')).rejects.toMatchObject({ code: 'unauthorized access', message: refusal });
  await set('TRACE', 'admin');
  expect((await get())['logging-config']?.value).toBe('<root>=INFO;unit=TRACE');
});
