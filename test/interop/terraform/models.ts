/** Calls of the provider for a model and for the entities of a controller: access, users, clouds, credentials. */
import assert from 'node:assert/strict';
import { ApiError, withApi, type Account, type Json } from './frames.ts';
import { eventually, throws } from './waiting.ts';

const minute = 60 * 1_000_000_000;
const owner = 'user-admin';

/** Creates the resource juju_model. Returns its UUID. */
export async function createModel(
  account: Account,
  name: string,
  config: Json,
  constraints?: Json,
): Promise<string> {
  const made = await withApi(account, undefined, (api) =>
    api.call('ModelManager', 'CreateModel', { name, 'owner-tag': owner, config, 'cloud-tag': 'cloud-local' }),
  );
  assert.match(made['cloud-credential-tag'] as string, /^cloudcred-local_admin_/);
  assert.equal(made['type'], 'iaas');
  const uuid = made['uuid'] as string;
  if (constraints)
    await withApi(account, uuid, (api) =>
      api.call('ModelConfig', 'SetModelConstraints', { application: '', constraints }),
    );
  return uuid;
}

/** Finds a model's UUID by its name: for an import. */
export async function findModel(account: Account, name: string): Promise<string> {
  return withApi(account, undefined, async (api) => {
    const summaries = await api.results<{ result: Json }>('ModelManager', 'ListModelSummaries', {
      'user-tag': owner,
      all: false,
    });
    const found = summaries.find(({ result }) => result['name'] === name)?.result;
    assert.equal(found?.['type'], 'iaas');
    return found['uuid'] as string;
  });
}

interface ReadModel {
  readonly info: Json;
  readonly config: Readonly<Record<string, { readonly value: unknown; readonly source: string }>>;
  readonly constraints: Json;
}

export async function readModel(account: Account, uuid: string): Promise<ReadModel> {
  return withApi(account, uuid, async (model) => {
    const [found] = await withApi(account, undefined, (api) =>
      api.results<{ result: Json }>('ModelManager', 'ModelInfo', { entities: [{ tag: `model-${uuid}` }] }),
    );
    const { config } = (await model.call('ModelConfig', 'ModelGet')) as { config: ReadModel['config'] };
    const { constraints } = await model.call('ModelConfig', 'GetModelConstraints');
    return { info: found!.result, config, constraints: constraints as Json };
  });
}

export async function testModel(account: Account, name: string): Promise<string> {
  const uuid = await createModel(account, name, { 'logging-config': '<root>=INFO' }, { mem: 256 });
  assert.equal(await findModel(account, name), uuid);
  const created = await readModel(account, uuid);
  assert.deepEqual(created.config['logging-config'], { value: '<root>=INFO', source: 'model' });
  assert.equal(created.constraints['mem'], 256);
  assert.equal(created.info['cloud-tag'], 'cloud-local');
  assert.equal(created.info['cloud-region'], 'localhost');
  await withApi(account, uuid, async (api) => {
    await api.call('ModelConfig', 'ModelSet', { config: { 'update-status-hook-interval': '10m' } });
    await api.call('ModelConfig', 'ModelUnset', { keys: ['logging-config'] });
    await api.call('ModelConfig', 'SetModelConstraints', { application: '', constraints: { cores: 1 } });
  });
  await withApi(account, undefined, (api) =>
    api.results('ModelManager', 'ChangeModelCredential', {
      'model-credentials': [
        { 'model-tag': `model-${uuid}`, 'credential-tag': created.info['cloud-credential-tag'] },
      ],
    }),
  );
  const updated = await readModel(account, uuid);
  assert.equal(updated.config['update-status-hook-interval']?.value, '10m');
  assert.notEqual(updated.config['logging-config']?.source, 'model');
  assert.deepEqual(updated.constraints, { cores: 1 });
  await withApi(account, uuid, (api) =>
    api.call('ModelConfig', 'SetModelConstraints', { application: '', constraints: {} }),
  );
  await testAnnotations(account, uuid, `model-${uuid}`);
  return uuid;
}

/** Tests `annotations` of a resource. */
export async function testAnnotations(account: Account, uuid: string, entity: string): Promise<void> {
  await withApi(account, uuid, async (api) => {
    const set = (annotations: Json): Promise<unknown> =>
      api.results('Annotations', 'Set', { annotations: [{ entity, annotations }] });
    const get = async (): Promise<unknown> => {
      const [found] = await api.results<Json>('Annotations', 'Get', { entities: [{ tag: entity }] });
      return found!['annotations'] ?? {};
    };
    await set({ owner: 'me', stage: 'test' });
    assert.deepEqual(await get(), { owner: 'me', stage: 'test' });
    // Empty values remove annotations.
    await set({ owner: '', stage: 'prod' });
    assert.deepEqual(await get(), { stage: 'prod' });
  });
}

/** Deletes the resource juju_model. The provider asks until the answer is that it may not see the model. */
export async function destroyModel(account: Account, uuid: string): Promise<void> {
  await withApi(account, undefined, async (api) => {
    await api.results('ModelManager', 'DestroyModels', {
      models: [
        {
          'model-tag': `model-${uuid}`,
          'destroy-storage': true,
          force: false,
          'max-wait': 10 * minute,
          timeout: 30 * minute,
        },
      ],
    });
    await eventually('the model is gone', async () => {
      const { results } = (await api.call('ModelManager', 'ModelInfo', {
        entities: [{ tag: `model-${uuid}` }],
      })) as { results: { error?: { message: string; code: string } }[] };
      return results[0]?.error;
    }).then((error) =>
      assert.deepEqual([error.message, error.code], ['permission denied', 'unauthorized access']),
    );
  });
}

/** Tests the resources juju_user and juju_access_model. */
export async function testUsers(account: Account, uuid: string): Promise<void> {
  await withApi(account, undefined, async (api) => {
    const [added] = await api.results<Json>('UserManager', 'AddUser', {
      users: [{ username: 'tf-user', 'display-name': 'A User', password: 'first' }],
    });
    assert.equal(added!['tag'], 'user-tf-user');
    const entity = { tag: 'user-tf-user' };
    const read = (): Promise<readonly { result: Json }[]> =>
      api.results('UserManager', 'UserInfo', { entities: [entity], 'include-disabled': false });
    const [info] = await read();
    assert.deepEqual(
      [info!.result['username'], info!.result['display-name'], info!.result['disabled']],
      ['tf-user', 'A User', false],
    );
    await api.results('UserManager', 'SetPassword', { changes: [{ ...entity, password: 'second' }] });
    await withApi({ ...account, user: 'tf-user', password: 'second' }, undefined, async () => undefined);

    const modify = (action: string, access: string): Promise<unknown> =>
      api.results('ModelManager', 'ModifyModelAccess', {
        changes: [{ 'user-tag': entity.tag, action, access, 'model-tag': `model-${uuid}` }],
      });
    const accessOf = async (): Promise<unknown> => {
      const { info: model } = await readModel(account, uuid);
      return (model['users'] as Json[]).find((one) => one['user'] === 'tf-user')?.['access'];
    };
    for (const access of ['read', 'write', 'admin']) {
      await modify('grant', access);
      assert.equal(await accessOf(), access);
    }
    assert.match(
      (await throws(ApiError, () => modify('grant', 'read'))).message,
      /user already has "admin" access or greater/,
    );
    await modify('revoke', 'read');
    assert.equal(await accessOf(), undefined);
    const users = await api.results<{ result: Json }>('UserManager', 'ModelUserInfo', {
      entities: [{ tag: `model-${uuid}` }],
    });
    assert.deepEqual(
      users.map(({ result }) => result['user']),
      ['admin'],
    );
    await api.results('UserManager', 'RemoveUser', { entities: [entity] });
    assert.equal((await throws(ApiError, read)).message, 'permission denied');
  });
}

/** Tests the resources juju_cloud, juju_kubernetes_cloud and juju_credential. */
export async function testClouds(account: Account): Promise<void> {
  await withApi(account, undefined, async (api) => {
    const tagged = { entities: [{ tag: 'cloud-tf-k8s' }] };
    const read = async (): Promise<Json> =>
      (await api.results<{ cloud: Json }>('Cloud', 'Cloud', tagged))[0]!.cloud;
    const cloud = {
      type: 'kubernetes',
      'auth-types': ['oauth2', 'clientcertificate'],
      endpoint: 'https://10.0.0.1:16443',
      regions: [{ name: 'default' }],
      'host-cloud-region': 'other',
      config: { 'operator-storage': 'standard', 'workload-storage': 'standard' },
    };
    await api.call('Cloud', 'AddCloud', { name: 'tf-k8s', cloud, force: false });
    const credential = 'cloudcred-tf-k8s_admin_tf-k8s';
    await api.results('Cloud', 'AddCredentials', {
      credentials: [{ tag: credential, credential: { 'auth-type': 'oauth2', attrs: { Token: 'secret' } } }],
    });
    const added = await read();
    assert.deepEqual([added['host-cloud-region'], added['endpoint']], ['other', cloud.endpoint]);
    const [credentials] = await api.results<{ result: string[] }>('Cloud', 'UserCredentials', {
      'user-clouds': [{ 'user-tag': owner, 'cloud-tag': 'cloud-tf-k8s' }],
    });
    assert.deepEqual(credentials?.result, [credential]);
    await api.results('Cloud', 'UpdateCloud', {
      clouds: [{ name: 'tf-k8s', cloud: { ...cloud, endpoint: 'https://10.0.0.2:16443' } }],
    });
    assert.equal((await read())['endpoint'], 'https://10.0.0.2:16443');

    const contents = async (): Promise<unknown> => {
      const [found] = await api.results<{ result: { content: Json } }>('Cloud', 'CredentialContents', {
        credentials: [{ 'cloud-name': 'tf-k8s', 'credential-name': 'tf-k8s' }],
        'include-secrets': true,
      });
      return found!.result.content;
    };
    const shown = { name: 'tf-k8s', cloud: 'tf-k8s', 'auth-type': 'oauth2', valid: true };
    assert.deepEqual(await contents(), { ...shown, attrs: { Token: 'secret' } });
    await api.results('Cloud', 'UpdateCredentialsCheckModels', {
      credentials: [{ tag: credential, credential: { 'auth-type': 'oauth2', attrs: { Token: 'new' } } }],
      force: false,
    });
    assert.deepEqual(await contents(), { ...shown, attrs: { Token: 'new' } });
    await api.results('Cloud', 'RevokeCredentialsCheckModels', {
      credentials: [{ tag: credential, force: false }],
    });
    const { results } = (await api.call('Cloud', 'CredentialContents', {
      credentials: [{ 'cloud-name': 'tf-k8s', 'credential-name': 'tf-k8s' }],
      'include-secrets': true,
    })) as { results: { error?: { code: string } }[] };
    assert.equal(results[0]?.error?.code, 'not found');
    await api.results('Cloud', 'RemoveClouds', tagged);
    assert.equal((await throws(ApiError, read)).code, 'not found');
  });
}
