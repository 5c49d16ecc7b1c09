import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import type { ModelInfo } from '../../../wire/facades/model-manager.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

type Results = { results: { error?: { code: string; message: string } }[] };
type Defaults = Record<string, object>;
const call = <R = Results>(method: string, params: unknown, how?: object): Promise<R> =>
  callers.call<R>('ModelManager', method, params, how);
const set = (config: object, where: object = {}): Promise<Results> =>
  call('SetModelDefaults', { config: [{ ...where, config }] });
const unset = (keys: string[], where: object = {}): Promise<Results> =>
  call('UnsetModelDefaults', { keys: [{ ...where, keys }] });
const defaults = async (): Promise<Defaults> =>
  (
    await call<{ results: { config: Defaults }[] }>('ModelDefaultsForClouds', {
      entities: [{ tag: 'cloud-home' }],
    })
  ).results[0]!.config;
const region = { 'cloud-tag': 'cloud-home', 'cloud-region': 'here' };
async function configOf(model: string): Promise<Record<string, { value: unknown; source: string }>> {
  const { config } = await callers.call<{ config: Record<string, { value: unknown; source: string }> }>(
    'ModelConfig',
    'ModelGet',
    {},
    { model },
  );
  return config;
}
const create = (name: string, config = {}): Promise<ModelInfo> =>
  call<ModelInfo>('CreateModel', { name, 'owner-tag': 'user-admin', config });

test('each default is returned with its built-in value and those of the controller and of regions', async () => {
  expect(await set({ 'update-status-hook-interval': '9m', colour: 'red' })).toEqual({ results: [{}] });
  expect(await set({ 'update-status-hook-interval': '8m' }, region)).toEqual({ results: [{}] });
  const all = await defaults();
  expect(all).toMatchObject({
    'update-status-hook-interval': {
      default: '5m',
      controller: '9m',
      regions: [{ 'region-name': 'here', value: '8m' }],
    },
    colour: { controller: 'red' },
    'test-size': { default: 3 },
    'automatically-retry-hooks': { default: true },
  });
  for (const key of ['name', 'uuid', 'type', 'agent-version', 'test-token', 'syslog-host'])
    expect(all).not.toHaveProperty(key);
  await unset(['update-status-hook-interval', 'colour', 'never-set']);
  await unset(['update-status-hook-interval'], region);
  expect((await defaults())['update-status-hook-interval']).toEqual({ default: '5m' });
  expect(await defaults()).not.toHaveProperty('colour');
});

test('a new model prefers its own values to the region’s, and these to the controller’s', async () => {
  await set({ 'update-status-hook-interval': '9m', 'num-provision-workers': '4', 'hook-timeout': '30m' });
  await set({ 'update-status-hook-interval': '8m' }, region);
  const { uuid } = await create('late', { 'hook-timeout': '20m' });
  expect(await configOf(uuid)).toMatchObject({
    'update-status-hook-interval': { value: '8m', source: 'region' },
    'num-provision-workers': { value: 4, source: 'controller' },
    'hook-timeout': { value: '20m', source: 'model' },
    'automatically-retry-hooks': { value: true, source: 'default' },
  });
  expect(await configOf(callers.model)).toMatchObject({
    'update-status-hook-interval': { value: '5m', source: 'default' },
  });
});

test("settings of the cloud's provider apply to existing models too", async () => {
  await set({ 'test-size': '12' });
  expect(await configOf(callers.model)).toMatchObject({ 'test-size': { value: 12, source: 'controller' } });
  await callers.call('ModelConfig', 'ModelSet', { config: { 'test-size': 4 } });
  expect(await configOf(callers.model)).toMatchObject({ 'test-size': { value: 4, source: 'model' } });
});

test.each<[object, object, string]>([
  [{ 'agent-version': '3.0.0' }, {}, 'agent-version cannot have a default value'],
  [{ uuid: 'x' }, {}, 'uuid cannot have a default value'],
  [{ colour: 'red', 'num-provision-workers': 'many' }, {}, 'num-provision-workers: expected int, got "many"'],
  [{ 'test-size': 13 }, region, 'test-size: 13 is not supported'],
  [
    { 'http-proxy': 'a', 'juju-http-proxy': 'b' },
    {},
    'cannot specify both legacy proxy values and juju proxy values',
  ],
  [
    { colour: 'red' },
    { ...region, 'cloud-region': 'mars' },
    'region "mars" in cloud "home" not found (expected one of here, there)',
  ],
  [{ colour: 'red' }, { 'cloud-tag': 'cloud-none' }, 'cloud "none" not found'],
  [{ colour: 'red' }, { 'cloud-tag': 'home' }, '"home" is not a valid tag'],
])('a default of %j for %j is refused, all of it', async (config, where, message) => {
  const before = await defaults();
  expect(await set(config, where)).toMatchObject({ results: [{ error: { message } }] });
  expect(await defaults()).toEqual(before);
});

test('a default that is invalid only together with the region’s is refused', async () => {
  await set({ 'http-proxy': 'a' }, region);
  const { results } = await set({ 'juju-http-proxy': 'b' });
  expect(results[0]?.error?.message).toContain('legacy proxy values');
});

test('defaults are for superusers, and errors are reported at their places', async () => {
  await callers.addUser('bob');
  const named = { entities: [{ tag: 'cloud-none' }, { tag: 'cloud-home' }] };
  for (const [method, params] of [
    ['ModelDefaultsForClouds', named],
    ['SetModelDefaults', { config: [] }],
    ['UnsetModelDefaults', { keys: [] }],
  ] as const)
    await expect(call(method, params, { as: 'bob' })).rejects.toMatchObject({ code: 'unauthorized access' });
  const { results } = await call<{ results: object[] }>('ModelDefaultsForClouds', named);
  expect(results).toMatchObject([{ config: null, error: { code: 'not found' } }, { config: {} }]);
});
