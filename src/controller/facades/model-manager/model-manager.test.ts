import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Provider } from '../../../providers/contract/provider.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import type { ModelInfo } from '../../../wire/facades/model-manager.ts';
import { limits } from '../../../core/limits.ts';
import { machineDescriber } from './describe-machine.ts';
import { addMachine } from '../../transactions/begin/add-machine.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('ModelManager', method, params, how);
const create = (rest: Record<string, unknown> = {}, how?: object): Promise<ModelInfo> =>
  call<ModelInfo>(
    'CreateModel',
    { name: 'new', 'owner-tag': 'user-admin', config: null, credential: null, region: null, ...rest },
    how,
  );
type Infos = { results: { result?: ModelInfo; error?: { code: string; message: string } }[] };

describe('CreateModel', () => {
  test('CreateModel takes the cloud and region of the controller', async () => {
    const info = await create();
    expect(info).toMatchObject({
      name: 'new',
      type: 'iaas',
      'is-controller': false,
      'provider-type': 'test',
      'cloud-tag': 'cloud-home',
      'cloud-region': 'here',
      'owner-tag': 'user-admin',
      life: 'alive',
      status: { status: 'available' },
      users: [{ user: 'admin', access: 'admin', 'last-connection': null }],
      machines: [],
      'agent-version': '3.6.28',
    });
    expect(info).not.toHaveProperty('default-series');
    expect(callers.store.read().get('model', info.uuid)?.config).toEqual({ 'test-prepared': true });
  });

  test('CreateModel does not copy the cloud’s settings into the model', async () => {
    const [provider] = callers.context.services.providers.values();
    const text = { type: 'string', description: 'text' } as const;
    const config = { ...provider!.config, zones: text, mode: text };
    const filled = {
      ...provider,
      config,
      validate: (given: object) => ({ zones: '', mode: 'warn', ...given }),
    };
    vi.spyOn(callers.context.services.providers, 'get').mockReturnValue(filled as Provider);
    await callers.store.change((tx) => {
      const cloud = tx.in('').get('cloud', 'home')!;
      tx.in('').put('cloud', 'home', { ...cloud, config: { zones: 'z1,z2' } });
    }, 'test');
    const info = await create({ name: 'silent' });
    vi.restoreAllMocks();
    expect(callers.store.read().get('model', info.uuid)?.config).toEqual({ 'test-prepared': true });
  });

  test('CreateModel of version 9 returns the default series too', async () => {
    expect(await create({}, { version: 9 })).toMatchObject({
      'default-series': 'noble',
      'default-base': 'ubuntu@24.04',
    });
    expect(
      await create({ name: 'old', config: { 'default-base': 'ubuntu@22.04' } }, { version: 9 }),
    ).toMatchObject({
      'default-series': 'jammy',
    });
  });

  test('CreateModel keeps typed and unknown settings, but none that describe the model itself', async () => {
    const config = {
      'update-status-hook-interval': '2m',
      'num-provision-workers': '4',
      mine: 'x',
      'agent-version': '3.6.28',
      'test-size': 5,
    };
    const { uuid } = await create({ config });
    expect(callers.store.read().get('model', uuid)?.config).toEqual({
      'update-status-hook-interval': '2m',
      'num-provision-workers': 4,
      mine: 'x',
      'test-size': 5,
      'test-prepared': true,
    });
  });

  test.each([
    ['a bad name', { name: 'New_Model' }, 'not valid'],
    ['a name that is taken', { name: 'default' }, 'already exists'],
    ['an unknown cloud', { 'cloud-tag': 'cloud-nine' }, 'not found'],
    ['an unknown region', { region: 'nowhere' }, 'not found'],
    ['an unknown owner', { 'owner-tag': 'user-nobody' }, 'user not found'],
    ['an unknown credential', { credential: 'cloudcred-home_admin_none' }, 'not found'],
    ['a setting of the wrong type', { config: { 'automatically-retry-hooks': 'perhaps' } }, 'not valid'],
    ['what the provider refuses', { config: { 'test-size': 13 } }, 'not valid'],
  ])('CreateModel refuses %s', async (_, rest, code) => {
    await expect(create(rest)).rejects.toMatchObject({ code });
    expect(callers.store.read().count('model')).toBe(2);
  });

  test('CreateModel takes the only credential of its owner', async () => {
    const credentials = [
      {
        tag: 'cloudcred-home_admin_main',
        credential: { 'auth-type': 'userpass', attrs: { username: 'u', password: 'p' } },
      },
    ];
    await callers.call('Cloud', 'UpdateCredentialsCheckModels', { credentials });
    expect(await create()).toMatchObject({ 'cloud-credential-tag': 'cloudcred-home_admin_main' });
  });
});

describe('visibility of models to users', () => {
  beforeEach(async () => {
    await callers.addUser('bob');
    await callers.addUser('eve');
    await callers.grant('bob', 'read');
    await callers.change((tx) =>
      addMachine(tx, {
        base: { name: 'ubuntu', channel: '24.04/stable' },
        constraints: {},
        removeWhenEmpty: false,
      }),
    );
  });

  test('ListModels has the models a user has access to, and all for a superuser', async () => {
    const names = async (user: string): Promise<string[]> =>
      (
        await call<{ 'user-models': { model: { name: string } }[] }>(
          'ListModels',
          { tag: `user-${user}` },
          { as: user },
        )
      )['user-models'].map(({ model }) => model.name);
    expect(await names('admin')).toEqual(['controller', 'default']);
    expect(await names('bob')).toEqual(['default']);
    expect(await names('eve')).toEqual([]);
    await expect(call('ListModels', { tag: 'user-bob' }, { as: 'eve' })).rejects.toMatchObject({
      code: 'unauthorized access',
    });
  });

  test('ListModelSummaries counts the contents of models', async () => {
    const { results } = await call<{ results: { result: Record<string, unknown> }[] }>(
      'ListModelSummaries',
      { 'user-tag': 'user-bob', all: true },
      { as: 'bob' },
    );
    expect(results).toHaveLength(1);
    expect(results[0]!.result).toMatchObject({
      name: 'default',
      'user-access': 'read',
      counts: [{ entity: 'machines', count: 1 }],
      'last-connection': null,
    });
    const all = await call<{ results: unknown[] }>(
      'ListModelSummaries',
      { 'user-tag': 'user-admin', all: true },
      { version: 9 },
    );
    expect(all.results).toMatchObject([
      { result: { name: 'controller', 'is-controller': true, 'default-series': 'noble' } },
      { result: { name: 'default', 'user-access': 'admin' } },
    ]);
  });

  test('ModelInfo shows a reader neither the machines nor the other users', async () => {
    const entities = [
      { tag: `model-${callers.model}` },
      { tag: `model-${callers.controllerModel}` },
      { tag: 'model-x' },
    ];
    const bobs = await call<Infos>('ModelInfo', { entities }, { as: 'bob' });
    expect(bobs.results[0]!.result).toMatchObject({ machines: [], users: [{ user: 'bob', access: 'read' }] });
    expect(bobs.results[1]!.error).toEqual({ code: 'unauthorized access', message: 'permission denied' });
    expect(bobs.results[2]!.error?.message).toBe('"model-x" is not a valid model tag');
    const admins = await call<Infos>('ModelInfo', { entities: entities.slice(0, 1) });
    expect(admins.results[0]!.result).toMatchObject({
      machines: [{ id: '0', status: 'pending' }],
      users: [{ user: 'admin' }, { user: 'bob' }],
    });
  });

  test('a missing model is not found by a superuser, and hidden from anybody else', async () => {
    const entities = [{ tag: 'model-11111111-2222-3333-4444-555555555555' }];
    expect(await call('ModelStatus', { entities })).toMatchObject({
      models: [{ life: '', error: { code: 'not found' } }],
    });
    expect(await call('ModelStatus', { entities }, { as: 'bob' })).toMatchObject({
      models: [{ error: { code: 'unauthorized access' } }],
    });
  });

  test('ModelStatus counts the contents of a model', async () => {
    expect(await call('ModelStatus', { entities: [{ tag: `model-${callers.model}` }] })).toMatchObject({
      models: [
        {
          life: 'alive',
          'hosted-machine-count': 1,
          'application-count': 0,
          'unit-count': 0,
          machines: [{ id: '0' }],
        },
      ],
    });
  });

  test('DestroyModels is for admins of the model', async () => {
    const models = [{ 'model-tag': `model-${callers.model}`, 'max-wait': 60 }];
    expect(await call('DestroyModels', { models }, { as: 'bob' })).toMatchObject({
      results: [{ error: { code: 'unauthorized access' } }],
    });
    await callers.grant('bob', 'admin');
    expect(await call('DestroyModels', { models }, { as: 'bob' })).toEqual({ results: [{}] });
    expect(callers.store.read().get('model', callers.model)?.life).toBe('dying');
    expect(
      await call('DestroyModels', { models: [{ 'model-tag': `model-${callers.controllerModel}` }] }),
    ).toMatchObject({
      results: [{ error: { message: expect.stringContaining('destroy-controller') as string } }],
    });
  });
});

test('an answer describes a maximum number of machines, however often a model is named', async () => {
  const each = 2_500;
  await callers.change((tx) => {
    for (let n = 0; n < each; n++)
      addMachine(tx, {
        base: { name: 'ubuntu', channel: '24.04/stable' },
        constraints: {},
        removeWhenEmpty: false,
      });
  });
  const tell = machineDescriber({ services: callers.context.services });
  for (let told = 0; told < limits.machinesOfAnswer.max; told += each)
    expect(await tell(callers.view())).toHaveLength(each);
  await expect(tell(callers.view())).rejects.toMatchObject({
    code: 'quota limit exceeded',
    message: `machines in an answer: ${limits.machinesOfAnswer.max + each} entries exceed the limit of ${limits.machinesOfAnswer.max}`,
  });
});
