/** Tests of the answers of commands about requirements. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';
import type { RequirementsChange } from '../../../wire/facades/requirements.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('wordpress', {
    requires: { db: { interface: 'mysql', optional: false }, cache: 'kv' },
    provides: { website: 'http' },
  });
  await callers.addCharm('mysql', { provides: { server: 'mysql' } });
  await callers.addCharm('redis', { provides: { kv: 'kv' } });
  await callers.addCharm('left', {
    requires: { right: { interface: 'r', optional: false } },
    provides: { left: 'l' },
  });
  await callers.addCharm('right', {
    requires: { left: { interface: 'l', optional: false } },
    provides: { right: 'r' },
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

interface Answer {
  error?: { code: string; message: string };
  requirements?: RequirementsChange;
}
const call = <R = Answer>(method: string, params: unknown): Promise<R> =>
  callers.call<R>('Application', method, params);
const deploy = (name: string, overrides: object = {}): Promise<Answer> =>
  deployLocal<Answer>(callers, name, { 'num-units': 2, ...overrides });
const integrate = (...endpoints: string[]): Promise<Answer> => call('AddRelation', { endpoints });
const addUnits = (application: string): Promise<Answer> =>
  call('AddUnits', { application, 'num-units': 1, placement: null });
const machines = (): number => callers.view().count('machine');

const since = '2026-01-01T00:00:00.000Z';
const db = { endpoint: 'db', interface: 'mysql', applications: [] as string[] };
const waits = (application: string, missing: object[], units: number, running = 0): object => ({
  application,
  since,
  missing,
  units,
  running,
});

test('a command on applications without requirements reports none', async () => {
  expect(await deploy('mysql')).toEqual({});
  expect(await addUnits('mysql')).toEqual({ units: ['mysql/2'] });
  await deploy('redis');
  await callers.addCharm('client', { requires: { kv: 'kv' } });
  expect(await deploy('client')).toEqual({});
  expect(Object.keys(await integrate('client', 'redis'))).toEqual(['endpoints']);
  expect(await call('DestroyRelation', { endpoints: ['client', 'redis'] })).toEqual({});
});

test('each command reports applications that wait, and those that have ceased to wait', async () => {
  expect((await deploy('wordpress')).requirements).toEqual({
    deployable: [],
    running: [],
    circles: [],
    pending: [waits('wordpress', [db], 2)],
  });
  expect(machines()).toBe(0);
  expect(await addUnits('wordpress')).toEqual({
    units: ['wordpress/2'],
    requirements: { deployable: [], running: [], circles: [], pending: [waits('wordpress', [db], 3)] },
  });
  await deploy('redis');
  expect((await integrate('wordpress', 'redis')).requirements).toMatchObject({
    pending: [waits('wordpress', [db], 3)],
  });
  await deploy('mysql');
  expect((await integrate('wordpress', 'mysql')).requirements).toEqual({
    deployable: ['wordpress'],
    running: [],
    circles: [],
    pending: [],
  });
  expect((await call('DestroyRelation', { endpoints: ['wordpress', 'mysql'] })).requirements).toMatchObject({
    pending: [waits('wordpress', [db], 3)],
  });
});

test('applications that require each other are reported as a circle', async () => {
  await deploy('left');
  await deploy('right');
  const [left] = ['left'].map((endpoint) => ({ endpoint, interface: 'l', applications: [] }));
  const first = (await integrate('left:right', 'right:right')).requirements!;
  expect(first.pending.map(({ application }) => application)).toEqual(['left', 'right']);
  expect(first.pending[1]!.missing).toEqual([left]);
  expect(first.pending[0]!.missing).toEqual([{ endpoint: 'right', interface: 'r', applications: ['right'] }]);
  const { requirements } = await integrate('left:left', 'right:left');
  expect([...requirements!.deployable].sort()).toEqual(['left', 'right']);
  expect(requirements!.circles).toEqual([['left', 'right']]);
  expect(requirements!.pending).toEqual([]);
});

test('a removal reports applications that wait because of it, in a dry run too', async () => {
  await deploy('wordpress');
  await deploy('mysql');
  await integrate('wordpress', 'mysql');
  const destroy = async (dryRun: boolean): Promise<Answer> => {
    const applications = [{ 'application-tag': 'application-mysql', force: false, 'dry-run': dryRun }];
    return (await call<{ results: Answer[] }>('DestroyApplication', { applications })).results[0]!;
  };
  const told = { deployable: [], running: [], circles: [], pending: [waits('wordpress', [db], 2)] };
  expect((await destroy(true)).requirements).toEqual(told);
  expect(callers.view().get('application', 'wordpress')).not.toHaveProperty('pending');
  expect((await destroy(false)).requirements).toEqual(told);
});

test('the model’s setting decides which endpoints are required, and its change reports the effects', async () => {
  await deploy('wordpress');
  const set = (config: object): Promise<unknown> => callers.call('ModelConfig', 'ModelSet', { config });
  await expect(set({ 'require-endpoints': 'some' })).rejects.toMatchObject({ code: 'not valid' });
  expect(await set({ 'require-endpoints': 'all' })).toMatchObject({
    requirements: { pending: [{ application: 'wordpress', missing: [db, { endpoint: 'cache' }] }] },
  });
  expect(await set({ 'require-endpoints': 'none' })).toMatchObject({
    requirements: { deployable: ['wordpress'] },
  });
  expect(await set({ 'test-mode': true })).toEqual({});
  expect(await callers.call('ModelConfig', 'ModelUnset', { keys: ['require-endpoints'] })).toMatchObject({
    requirements: { pending: [{ application: 'wordpress' }] },
  });
  const { config } = await callers.call<{ config: Record<string, unknown> }>('ModelConfig', 'ModelGet');
  expect(config['require-endpoints']).toEqual({ value: 'declared', source: 'default' });
});

test('a model is created with its setting of required endpoints', async () => {
  const make = (mode: string): Promise<{ uuid: string }> =>
    callers.call('ModelManager', 'CreateModel', {
      name: mode,
      'owner-tag': 'user-admin',
      config: { 'require-endpoints': mode },
    });
  const { uuid } = await make('all');
  expect(callers.store.read().in('').get('model', uuid)?.config).toMatchObject({
    'require-endpoints': 'all',
  });
  await expect(make('some')).rejects.toMatchObject({ code: 'not valid' });
});

describe('deploy --require', () => {
  test('deploy --require is stored, each endpoint once', async () => {
    const { requirements } = await deploy('wordpress', { require: ['cache', 'cache'] });
    expect(requirements!.pending[0]!.missing).toMatchObject([db, { endpoint: 'cache', interface: 'kv' }]);
    expect(callers.view().get('application', 'wordpress')?.require).toEqual(['cache']);
  });

  test.each([
    ['unknown', ['nothing']],
    ['not under requires', ['website']],
    ['implicit', ['juju-info']],
    ['of an object', ['constructor', '__proto__']],
    ['empty', ['']],
    ['very many', Array.from({ length: 10_000 }, (_, n) => `e${n}`)],
    ['very long', ['e'.repeat(1_000_000)]],
  ])(
    'deploy --require refuses an endpoint that is %s, and says which endpoints there are',
    async (_, require) => {
      const { error } = await deploy('wordpress', { require });
      expect(error).toMatchObject({ code: 'not valid' });
      expect(error!.message).toContain('db');
      expect(error!.message).toContain('cache');
      expect(callers.view().count('application')).toBe(0);
    },
  );

  test.each([['db'], [{ db: true }], [[1]], [[['db']]], [7]])(
    'deploy --require refuses %j, which is no list',
    async (require) => {
      await expect(deploy('wordpress', { require })).rejects.toThrow(/^json: cannot unmarshal/);
    },
  );

  test.each([[null], [[]], [undefined]])('deploy --require of %j names no endpoint', async (require) => {
    await deploy('mysql', { require });
    expect(callers.view().get('application', 'mysql')).not.toHaveProperty('require');
  });
});

test('the descriptions of an application and of a unit include its requirements', async () => {
  await deploy('wordpress', { require: ['cache'] });
  await deploy('mysql');
  const entities = [{ tag: 'application-wordpress' }, { tag: 'application-mysql' }];
  const { results } = await call<{ results: { result: object }[] }>('ApplicationsInfo', { entities });
  const cache = { endpoint: 'cache', interface: 'kv', applications: [] };
  const pending = { since, missing: [db, cache], units: 2, running: 0 };
  expect(results[0]!.result).toMatchObject({ require: ['cache'], pending });
  expect(Object.keys(results[1]!.result)).not.toEqual(expect.arrayContaining(['pending']));
  const units = [{ tag: 'unit-wordpress-0' }, { tag: 'unit-mysql-0' }];
  const info = await call<{ results: { result: object }[] }>('UnitsInfo', { entities: units });
  expect(info.results[0]!.result).toMatchObject({
    waiting: 'missing relations: db (mysql), cache (kv)',
    'relation-data': [],
  });
  expect(info.results[0]!.result).not.toHaveProperty('machine');
  expect(info.results[1]!.result).not.toHaveProperty('waiting');
});

test('the answer names a hundred of very many waiting applications', async () => {
  await callers.change((tx) => {
    const wordpress = {
      life: 'alive' as const,
      charmUrl: 'local:wordpress-0',
      charmOrigin: {},
      base: { name: 'ubuntu', channel: '24.04/stable' },
      subordinate: false,
      constraints: {},
      config: {},
      trust: false,
      endpointBindings: {},
      workloadVersion: '',
      createdAt: tx.now,
    };
    for (let n = 0; n < 300; n++) tx.put('application', `w${n}`, { ...wordpress, name: `w${n}` });
  });
  const { requirements } = await callers.call<Answer>('ModelConfig', 'ModelSet', {
    config: { 'require-endpoints': 'all' },
  });
  expect(requirements!.pending).toHaveLength(100);
});

test('a subordinate is integrated by juju-info only while none of its container endpoints is required', async () => {
  await callers.addCharm('spy', {
    subordinate: true,
    requires: { host: { interface: 'spied', scope: 'container' } },
  });
  await callers.addCharm('spied', { provides: { host: { interface: 'spied', scope: 'container' } } });
  for (const name of ['mysql', 'redis', 'spied']) await deploy(name, { 'num-units': 1 });
  const spy = { 'charm-url': 'local:spy-0', 'num-units': 0 };
  await deploy('spy', spy);
  await deploy('strict', { ...spy, require: ['host'] });
  const require = (mode: string): Promise<unknown> =>
    callers.call('ModelConfig', 'ModelSet', { config: { 'require-endpoints': mode } });

  await expect(integrate('strict', 'mysql')).rejects.toThrow('no relations found: "strict" requires host');
  await require('all');
  await expect(integrate('spy', 'mysql')).rejects.toThrow('no relations found: "spy" requires host (spied)');
  await require('declared');
  expect(Object.keys((await integrate('spy', 'mysql')) as object)).toContain('endpoints');
  // An existing relation is removed, whatever could be created now.
  await require('all');
  await call('DestroyRelation', { endpoints: ['spy', 'mysql'] });
  await integrate('strict', 'spied');
  expect([...callers.view().list('relation')].map(({ key }) => key)).toEqual(['strict:host spied:host']);
});
