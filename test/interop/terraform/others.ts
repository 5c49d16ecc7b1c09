/** Calls of the provider for keys, secrets, storage pools, spaces and offers. */
import assert from 'node:assert/strict';
import { ApiError, withApi, type Account, type Json } from './frames.ts';
import { eventually, throws } from './waiting.ts';

/** Tests the resource juju_ssh_key. */
export async function testKeys(account: Account, model: string): Promise<void> {
  const key =
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGdmZ2ZnZmdmZ2ZnZmdmZ2ZnZmdmZ2ZnZmdmZ2ZnZmdm terraform@tests';
  const kept = key.replace('ZmdmZ2ZnZmdm terraform', 'ZmdmZ2ZnZmdn kept');
  await withApi(account, model, async (api) => {
    // Users are given by their plain name, and not by a tag.
    const change = (method: string, one: string): Promise<readonly Json[]> =>
      api.results('KeyManager', method, { user: account.user, 'ssh-keys': [one] });
    const list = async (): Promise<readonly string[]> => {
      const [keys] = await api.results<{ result?: string[] | null }>('KeyManager', 'ListKeys', {
        entities: { entities: [{ tag: account.user }] },
        mode: true,
      });
      return keys?.result ?? [];
    };
    // The last key of a model cannot be removed, so that the provider leaves it.
    await change('AddKeys', kept);
    const before = await list();
    await change('AddKeys', key);
    assert.deepEqual(
      (await list()).filter((one) => !before.includes(one)),
      [key],
    );
    assert.match((await throws(ApiError, () => change('AddKeys', key))).message, /duplicate ssh key/);
    await change('DeleteKeys', 'terraform@tests');
    assert.deepEqual(await list(), before);
    assert.match(
      (await throws(ApiError, () => change('DeleteKeys', 'terraform@tests'))).message,
      /key not found/,
    );
  });
}

/** Tests the resources juju_secret and juju_access_secret. `application`: an application of the model. */
export async function testSecret(account: Account, model: string, application: string): Promise<void> {
  await withApi(account, model, async (api) => {
    const content = (value: string): Json => ({ data: { value: Buffer.from(value).toString('base64') } });
    const [created] = await api.results<{ result: string }>('Secrets', 'CreateSecrets', {
      args: [
        {
          'owner-tag': `model-${model}`,
          label: 'tf-secret',
          description: 'of terraform',
          content: content('one'),
        },
      ],
    });
    const uri = created!.result;
    assert.match(uri, /^secret:[0-9a-v]{20}$/);
    const read = async (filter: Json): Promise<Json> => {
      const [found] = await api.results<Json>('Secrets', 'ListSecrets', { 'show-secrets': true, filter });
      return found ?? {};
    };
    const told = async (filter: Json = { uri }): Promise<unknown[]> => {
      const found = await read(filter);
      const { data } = (found['value'] as { data: Record<string, string> } | undefined) ?? { data: {} };
      const access = ((found['access'] as Json[] | undefined) ?? []).map((one) => one['target-tag']);
      const value = Buffer.from(data['value'] ?? '', 'base64').toString();
      return [found['label'], found['description'], value, access];
    };
    assert.deepEqual(await told(), ['tf-secret', 'of terraform', 'one', []]);
    // The secret is found by its label and owner, as the data source finds it.
    assert.deepEqual((await told({ label: 'tf-secret', 'owner-tag': `model-${model}` }))[2], 'one');
    const update = (more: Json): Promise<unknown> =>
      api.results('Secrets', 'UpdateSecrets', {
        args: [{ uri, 'existing-label': '', 'auto-prune': true, description: 'changed', ...more }],
      });
    await update({ label: 'tf-renamed', content: content('two') });
    assert.deepEqual(await told(), ['tf-renamed', 'changed', 'two', []]);
    const grant = (method: string): Promise<unknown> =>
      api.results('Secrets', method, { uri, label: '', applications: [application] });
    await grant('GrantSecret');
    assert.deepEqual((await told())[3], [`application-${application}`]);
    await grant('RevokeSecret');
    assert.deepEqual((await told())[3], []);
    await api.results('Secrets', 'RemoveSecrets', { args: [{ uri, label: '' }] });
    assert.deepEqual(await read({ uri }), {});
  });
}

/** Tests the resource juju_storage_pool. */
export async function testPool(account: Account, model: string): Promise<void> {
  await withApi(account, model, async (api) => {
    const pool = { name: 'tf-pool', provider: 'rootfs', attrs: { owner: 'terraform' } };
    const change = (method: string, one: Json): Promise<unknown> =>
      api.results('Storage', method, { pools: [one] });
    const read = async (): Promise<unknown> => {
      const [found] = await api.results<{ 'storage-pools'?: Json[]; result?: Json[] }>(
        'Storage',
        'ListPools',
        {
          filters: [{ names: ['tf-pool'] }],
        },
      );
      return (found?.['storage-pools'] ?? found?.result ?? [])[0];
    };
    await change('CreatePool', pool);
    assert.deepEqual(await read(), pool);
    await change('UpdatePool', { name: 'tf-pool', provider: '', attrs: { owner: 'changed' } });
    assert.deepEqual(await read(), { ...pool, attrs: { owner: 'changed' } });
    await change('RemovePool', { name: 'tf-pool' });
  });
}

/** Tests the data sources juju_space and juju_subnets. */
export async function testSpaces(account: Account, model: string): Promise<void> {
  await withApi(account, model, async (api) => {
    const spaces = await api.results<{ name: string }>('Spaces', 'ListSpaces');
    assert(spaces.some(({ name }) => name === 'alpha'));
    await api.results('Subnets', 'ListSubnets', {});
  });
}

/**
 * Tests the resources juju_offer and juju_access_offer, and an integration of the offer. Returns false when the
 * controller has no offers.
 */
export async function testOffer(account: Account, model: string, consumer: string): Promise<boolean> {
  return withApi(account, undefined, async (api) => {
    if (api.best('ApplicationOffers') === 0) return false;
    const url = 'admin/terraform.kv';
    await api.results('ApplicationOffers', 'Offer', {
      Offers: [
        {
          'model-tag': `model-${model}`,
          'offer-name': 'kv',
          'application-name': 'kv',
          'application-description': '',
          endpoints: { db: 'db' },
          'owner-tag': 'user-admin',
        },
      ],
    });
    const filter = {
      'owner-name': 'admin',
      'model-name': 'terraform',
      'offer-name': 'kv',
      'application-name': '',
      'application-description': '',
      'application-user': '',
      endpoints: [],
      'connected-users': [],
      'allowed-users': [],
    };
    const found = await api.results<Json>('ApplicationOffers', 'FindApplicationOffers', {
      Filters: [filter],
    });
    assert.deepEqual(
      found.map((one) => one['offer-url']),
      [url],
    );
    const read = async (): Promise<Json> => {
      const [one] = await api.results<{ result: Json }>('ApplicationOffers', 'ApplicationOffers', {
        'offer-urls': [url],
        'bakery-version': 3,
      });
      return one!.result;
    };
    const created = await read();
    assert.deepEqual(
      (created['endpoints'] as Json[]).map((one) => one['name']),
      ['db'],
    );
    const { results } = (await api.call('ApplicationOffers', 'GetConsumeDetails', {
      'offer-urls': { 'offer-urls': [url], 'bakery-version': 3 },
      'user-tag': '',
    })) as { results: Json[] };
    const {
      offer,
      macaroon,
      'external-controller': external,
    } = results[0] as Record<string, Json | undefined>;
    await withApi(account, consumer, async (other) => {
      await other.results('Application', 'Consume', {
        args: [{ ...offer, macaroon, 'external-controller': external, 'application-alias': '' }],
      });
      const { 'remote-applications': saas } = (await other.call('Client', 'FullStatus', {
        patterns: [],
      })) as {
        'remote-applications': Record<string, Json>;
      };
      assert.equal(saas['kv']?.['offer-url'], url);
      await other.results('Application', 'DestroyConsumedApplications', {
        applications: [{ 'application-tag': 'application-kv' }],
      });
    });
    await eventually(
      'nobody is connected',
      async () => (((await read())['connections'] as Json[]) ?? []).length === 0,
    );
    await api.results('ApplicationOffers', 'DestroyOffers', { 'offer-urls': [url], force: false });
    assert.equal((await throws(ApiError, read)).code, 'not found');
    return true;
  });
}
