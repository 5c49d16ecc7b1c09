import { afterEach, beforeEach, expect, test } from 'vitest';
import { withInitialValues } from '../../../core/controller/config.ts';
import { systemClock } from '../../../kit/clock.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { makeTestCa } from '../../../testing/test-ca.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('Controller', method, params, how);

test('AllModels lists every model', async () => {
  const models = await call<{ 'user-models': { model: unknown }[] }>('AllModels');
  expect(models['user-models'].map(({ model }) => model)).toEqual([
    { name: 'controller', uuid: callers.controllerModel, type: 'iaas', 'owner-tag': 'user-admin' },
    { name: 'default', uuid: callers.model, type: 'iaas', 'owner-tag': 'user-admin' },
  ]);
});

test('ControllerConfig and ControllerVersion describe the controller', async () => {
  expect(await call('ControllerConfig')).toEqual({
    config: {
      ...withInitialValues({}),
      'api-port': 17070,
      'controller-name': 'ctrl',
      'controller-uuid': callers.store.read().get('controller', 'self')!.uuid,
      'ca-cert': 'the CA',
    },
  });
  expect(await call('ControllerVersion')).toEqual({ version: '3.6.28', 'git-commit': '' });
  expect(await call('IdentityProviderURL')).toEqual({ result: '' });
});

test('ModelConfig returns in version 11 alone what ModelConfig.ModelGet returns for the model `controller`', async () => {
  const { config } = await call<{ config: Record<string, unknown> }>('ModelConfig', {}, { version: 11 });
  expect(config).toMatchObject({ name: { value: 'controller', source: 'model' } });
  const model = callers.controllerModel;
  expect(await callers.call('ModelConfig', 'ModelGet', {}, { model })).toEqual({ config });
  await expect(call('ModelConfig')).rejects.toMatchObject({ code: 'not implemented' });
});

test('ControllerAPIInfoForModels returns the addresses at which a model is served', async () => {
  const entities = [{ tag: `model-${callers.model}` }, { tag: 'model-11111111-2222-3333-4444-555555555555' }];
  expect(await call('ControllerAPIInfoForModels', { entities })).toMatchObject({
    results: [
      { addresses: ['10.0.0.1:17070'], cacert: 'the CA' },
      { addresses: [], error: { code: 'not found' } },
    ],
  });
});

test('GetControllerAccess shows the access of others only to a superuser', async () => {
  await callers.addUser('bob');
  const entities = [{ tag: 'user-admin' }, { tag: 'user-bob' }, { tag: 'user-none' }];
  expect(await call('GetControllerAccess', { entities })).toMatchObject({
    results: [
      { result: { 'user-tag': 'user-admin', access: 'superuser' } },
      { result: { 'user-tag': 'user-bob', access: 'login' } },
      { error: { code: 'user not found' } },
    ],
  });
  expect(await call('GetControllerAccess', { entities }, { as: 'bob' })).toMatchObject({
    results: [{ error: { code: 'unauthorized access' } }, { result: { access: 'login' } }, {}],
  });
});

test('DestroyController needs permission to destroy the hosted models', async () => {
  await expect(call('DestroyController', { 'destroy-models': false })).rejects.toMatchObject({
    code: 'controller has hosted models',
  });
  expect(callers.store.read().get('model', callers.controllerModel)?.life).toBe('alive');
  await call('DestroyController', { 'destroy-models': true });
  for (const uuid of [callers.model, callers.controllerModel])
    expect(callers.store.read().get('model', uuid)?.life).toBe('dying');
  await expect(
    callers.call('ModelManager', 'CreateModel', { name: 'late', 'owner-tag': 'user-admin' }),
  ).rejects.toThrow(/is being destroyed/);
});

test('ModelStatus returns what the model manager’s returns', async () => {
  expect(await call('ModelStatus', { entities: [{ tag: `model-${callers.model}` }] })).toMatchObject({
    models: [{ life: 'alive' }],
  });
});

test('CloudSpec and HostedModelConfigs return the clouds of models with the secrets of their credentials', async () => {
  const credential = {
    tag: 'cloudcred-home_admin_mine',
    credential: { 'auth-type': 'userpass', attrs: { username: 'me', password: 'hunter2' } },
  };
  await callers.call('Cloud', 'UpdateCredentialsCheckModels', { credentials: [credential], force: false });
  await callers.call('ModelManager', 'CreateModel', {
    name: 'work',
    'owner-tag': 'user-admin',
    credential: credential.tag,
    config: { 'test-token': 'open sesame' },
  });
  const { models } = await call<{ models: { name: string; config: Record<string, unknown> }[] }>(
    'HostedModelConfigs',
  );
  const spec = {
    type: 'test',
    name: 'home',
    region: 'here',
    credential: { 'auth-type': 'userpass', attrs: { username: 'me', password: 'hunter2' } },
    'is-controller-cloud': true,
  };
  expect(models).toMatchObject([
    { name: 'default', owner: 'user-admin', 'cloud-spec': { type: 'test' } },
    { name: 'work', owner: 'user-admin', 'cloud-spec': spec, config: { 'test-token': 'open sesame' } },
  ]);
  const uuid = String(models[1]!.config['uuid']);
  const entities = [{ tag: `model-${uuid}` }, { tag: 'model-11111111-2222-3333-4444-555555555555' }];
  expect(await call('CloudSpec', { entities })).toMatchObject({
    results: [{ result: spec }, { error: { code: 'not found' } }],
  });
});

test('ConfigSet changes what may change after bootstrap, or nothing', async () => {
  expect(await call('ConfigSet', { config: { 'max-model-size': 5000, 'auditing-enabled': 'true' } })).toEqual(
    {},
  );
  expect(await call('ControllerConfig')).toMatchObject({
    config: { 'api-port': 17070, 'max-model-size': 5000, 'auditing-enabled': true },
  });
  await expect(
    call('ConfigSet', { config: { 'max-model-size': 7, 'api-port': 17071 } }),
  ).rejects.toMatchObject({ code: 'not valid', message: `can't change "api-port" after bootstrap` });
  expect(await call('ControllerConfig')).toMatchObject({ config: { 'max-model-size': 5000 } });
});

test.each([
  ['a:b', '"a:b" is not a valid controller name'],
  // The name is valid: what is wrong is the next thing.
  ['b.example', 'the CA certificate of the other controller is no certificate in PEM'],
  ['', 'the CA certificate of the other controller is no certificate in PEM'],
])('a migration to a controller with the name "%s" is answered by: %s', async (alias, message) => {
  const target = {
    'controller-tag': 'controller-11111111-2222-4333-8444-555555555555',
    'controller-alias': alias,
    addrs: ['10.0.0.1:17070'],
    'ca-cert': 'the CA',
    'auth-tag': 'user-admin',
  };
  const specs = [{ 'model-tag': `model-${callers.model}`, 'target-info': target }];
  const { results } = await call<{ results: unknown[] }>('InitiateMigration', { specs });
  expect(results).toMatchObject([{ error: { message } }]);
});

test('InitiateMigration says so when the target does not answer', async () => {
  const { caCert } = await makeTestCa();
  const { services } = callers.context;
  const connect = ({ signal }: { readonly signal: AbortSignal }): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  Object.assign(services, {
    elsewhere: { ...services.elsewhere, connect },
    clock: { ...systemClock, sleep: (ms: number) => systemClock.sleep(ms / 3_000) },
    environ: () => ({ migration: { ticket: '' } }),
  });
  const target = {
    'controller-tag': 'controller-6f1c2b1e-0000-4000-8000-000000000001',
    addrs: ['10.9.9.9:17070'],
    'ca-cert': caCert,
    'auth-tag': 'user-admin',
    password: 'p',
  };
  const specs = [{ 'model-tag': `model-${callers.model}`, 'target-info': target }];
  expect(await call('InitiateMigration', { specs, 'dry-run': true })).toMatchObject({
    results: [
      { error: { code: 'try again', message: 'the target controller has not answered within 30 s' } },
    ],
  });
});
