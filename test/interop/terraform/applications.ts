/** Calls of the provider for the content of a model: applications of local charms, integrations, machines, secrets… */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { ApiError, putCharm, putResource, withApi, type Account, type Api, type Json } from './frames.ts';
import { testAnnotations } from './models.ts';
import { eventually, throws } from './waiting.ts';

export interface Charm {
  readonly name: string;
  readonly zip: Buffer;
}
const base = { name: 'ubuntu', channel: '24.04/stable' };

interface Status {
  readonly applications: Readonly<Record<string, Json & { units: Record<string, Json> | null }>>;
  readonly machines: Readonly<Record<string, Json>>;
  readonly relations: readonly (Json & { endpoints: Json[] })[];
  readonly storage: readonly Json[] | null;
  readonly filesystems: readonly Json[] | null;
}
const statusOf = async (api: Api, patterns: readonly string[] | null, more: Json = {}): Promise<Status> =>
  (await api.call('Client', 'FullStatus', { patterns, ...more })) as unknown as Status;

/** Creates the resource juju_application, from a charm's archive. */
export async function deploy(
  account: Account,
  model: string,
  charm: Charm,
  args: Json & { readonly application: string },
  blob?: Buffer,
): Promise<void> {
  await withApi(account, model, async (api) => {
    const { config } = (await api.call('ModelConfig', 'ModelGet')) as {
      config: Record<string, { value: unknown }>;
    };
    assert.match(config['agent-version']!.value as string, /^\d+\.\d+\.\d+/);
    const url = await putCharm(account, model, charm.name, charm.zip);
    const revision = Number(url.split('-').at(-1));
    const origin = { source: 'local', type: '', id: '', architecture: 'amd64', revision, base };
    const resources = blob ? { blob: await addResource(account, model, url, blob) } : {};
    await api.results('Application', 'Deploy', {
      applications: [
        {
          resources,
          'charm-url': url,
          'charm-origin': origin,
          channel: '',
          'num-units': 1,
          'config-yaml': `${args.application}: {}\n`,
          constraints: {},
          'endpoint-bindings': {},
          Force: false,
          ...args,
        },
      ],
    });
    const read = (await api.call('Application', 'GetCharmURLOrigin', {
      application: args.application,
      branch: '',
    })) as { url: string; 'charm-origin': Json };
    assert.equal(read.url, url);
    // The provider finds by the hash that another client has changed a charm.
    assert.equal(read['charm-origin']['hash'], createHash('sha256').update(charm.zip).digest('hex'));
  });
}

/** Reads the resource juju_application, until the requested state is there. */
export async function readApplication(
  account: Account,
  model: string,
  name: string,
  units: number,
): Promise<Json> {
  return eventually(`${name} has ${units} units`, () =>
    withApi(account, model, async (api) => {
      const [info] = await api.results<{ result: Json }>('Application', 'ApplicationsInfo', {
        entities: [{ tag: `application-${name}` }],
      });
      const status = await statusOf(api, [name], { 'include-storage': true });
      const shown = status.applications[name];
      assert(shown, 'no status of the application');
      const storages: Record<string, Json> = {};
      for (const stored of status.storage ?? []) {
        const found = (status.filesystems ?? []).find(
          (one) => (one['storage'] as Json | undefined)?.['storage-tag'] === stored['storage-tag'],
        );
        const details = found?.['info'] as Json | undefined;
        assert(details?.['pool'] && details['size'], 'storage has no pool or size yet');
        storages[(stored['storage-tag'] as string).replace(/^storage-|-\d+$/g, '')] = details;
      }
      const machines = Object.values(shown.units ?? {}).map((unit) => unit['machine']);
      if (machines.filter(Boolean).length !== units) return undefined;
      const got = (await api.call('Application', 'Get', { application: name, branch: 'master' })) as Json;
      const { config: settings } = (await api.call('ModelConfig', 'ModelGet')) as {
        config: Record<string, { value: unknown }>;
      };
      assert('default-space' in settings);
      const [resources] = await api.results<Json>('Resources', 'ListResources', {
        entities: [{ tag: `application-${name}` }],
      });
      return { info: info!.result, shown, got, storages, resources: resources!['resources'], machines };
    }),
  );
}

interface Read {
  readonly info: Json;
  readonly shown: Json;
  readonly got: {
    readonly config: Readonly<Record<string, { value: unknown; source: string }>>;
    readonly 'application-config': Readonly<Record<string, { value: unknown; source: string }>>;
  };
  readonly storages: Readonly<Record<string, Json>>;
  readonly resources: readonly Json[];
  readonly machines: readonly string[];
}

export async function testApplication(account: Account, model: string, charm: Charm): Promise<void> {
  const settings = {
    application: 'toolbox',
    'config-yaml': 'toolbox:\n  greeting: from terraform\n',
    constraints: { mem: 256 },
    storage: { data: { Pool: 'rootfs', Size: 16, Count: 1 } },
  };
  await deploy(account, model, charm, settings, Buffer.from('from terraform'));
  const read = async (units = 1): Promise<Read> =>
    (await readApplication(account, model, 'toolbox', units)) as unknown as Read;
  const created = await read();
  assert.deepEqual(created.info['base'], base);
  assert.equal(created.info['principal'], true);
  assert.deepEqual(created.info['constraints'], { mem: 256 });
  assert.deepEqual(
    [created.got.config['greeting']?.value, created.got.config['greeting']?.source],
    ['from terraform', 'user'],
  );
  assert.equal(created.got['application-config']['trust']?.value, false);
  assert.match(created.shown['charm'] as string, /^local:(?:[a-z0-9]+\/)*toolbox-\d+$/);
  assert.deepEqual(created.shown['endpoint-bindings'], { '': 'alpha', db: 'alpha' });
  assert.deepEqual([created.storages['data']?.['pool'], created.storages['data']?.['size']], ['rootfs', 16]);
  assert.deepEqual(
    created.resources.map((one) => [one['name'], one['origin']]),
    [['blob', 'upload']],
  );
  await testAnnotations(account, model, 'application-toolbox');
  await withApi(account, model, (api) => update(api));
  const updated = await read(2);
  assert.equal(updated.got.config['greeting']?.value, 'changed');
  assert.equal(updated.got['application-config']['trust']?.value, true);
  assert.deepEqual(updated.info['constraints'], { mem: 512 });
  assert.deepEqual(updated.shown['exposed-endpoints'], {
    db: { 'expose-to-cidrs': ['10.0.0.0/24'] },
  });
  await withApi(account, model, (api) =>
    api.call('Application', 'Unexpose', { application: 'toolbox', 'exposed-endpoints': ['db'] }),
  );
  await refresh(account, model, charm);
  const refreshed = await read(2);
  assert.equal(refreshed.shown['exposed'], false);
  await withApi(account, model, async (api) => {
    const { applications } = await statusOf(api, ['toolbox']);
    const [first] = Object.keys(applications['toolbox']!.units!);
    await api.results('Application', 'DestroyUnit', {
      units: [{ 'unit-tag': `unit-${first!.replace('/', '-')}`, 'destroy-storage': true }],
    });
  });
  await read(1);
}

/** Uploads a pending resource of a charm; returns its id. */
async function addResource(account: Account, model: string, url: string, content: Buffer): Promise<string> {
  return withApi(account, model, async (api) => {
    const { 'pending-ids': ids } = (await api.call('Resources', 'AddPendingResources', {
      tag: 'application-toolbox',
      url,
      'charm-origin': { source: 'local', type: '', id: '' },
      macaroon: null,
      resources: [
        {
          name: 'blob',
          type: 'file',
          path: 'blob.txt',
          description: '',
          origin: 'upload',
          revision: 0,
          fingerprint: createHash('sha384').update(content).digest('base64'),
          size: content.length,
        },
      ],
    })) as { 'pending-ids'?: string[] };
    assert(ids?.[0], 'no pending id');
    await putResource(account, model, { application: 'toolbox', name: 'blob', pendingId: ids[0], content });
    return ids[0];
  });
}

async function update(api: Api): Promise<void> {
  await api.results('Application', 'SetConfigs', {
    Args: [
      {
        application: 'toolbox',
        generation: 'master',
        config: { greeting: 'changed', trust: 'true' },
        'config-yaml': '',
      },
    ],
  });
  await api.results('Application', 'MergeBindings', {
    args: [
      { 'application-tag': 'application-toolbox', bindings: { '': 'alpha', db: 'alpha' }, force: false },
    ],
  });
  await api.call('Application', 'Expose', {
    application: 'toolbox',
    'exposed-endpoints': { db: { 'expose-to-spaces': [], 'expose-to-cidrs': ['10.0.0.0/24'] } },
  });
  await api.call('Application', 'SetConstraints', { application: 'toolbox', constraints: { mem: 512 } });
  const { units } = (await api.call('Application', 'AddUnits', {
    application: 'toolbox',
    'num-units': 1,
    placement: [],
    'attach-storage': [],
    policy: '',
  })) as { units: string[] };
  assert.deepEqual(units, ['toolbox/1']);
}

/** Uploads a changed archive, and sets it as the application's charm. */
async function refresh(account: Account, model: string, charm: Charm): Promise<void> {
  await withApi(account, model, async (api) => {
    const url = await putCharm(account, model, charm.name, charm.zip);
    await api.call('Application', 'SetCharm', {
      application: 'toolbox',
      generation: 'master',
      'charm-url': url,
      'charm-origin': {
        source: 'local',
        type: '',
        id: '',
        architecture: 'amd64',
        revision: Number(url.split('-').at(-1)),
        base,
      },
      channel: '',
      'config-settings': null,
      'config-settings-yaml': '',
      force: false,
      'force-base': false,
      'force-units': false,
      'resource-ids': {},
      'storage-constraints': {},
      'endpoint-bindings': {},
    });
    const { applications } = await statusOf(api, ['toolbox']);
    assert.equal(applications['toolbox']?.['charm'], url);
  });
}

/** Deletes the resource juju_application. */
export async function destroyApplication(account: Account, model: string, name: string): Promise<void> {
  await withApi(account, model, async (api) => {
    await api.results('Application', 'DestroyApplication', {
      applications: [{ 'application-tag': `application-${name}`, 'destroy-storage': true, force: false }],
    });
    await eventually(`${name} is gone`, async () => {
      const { results } = (await api.call('Application', 'ApplicationsInfo', {
        entities: [{ tag: `application-${name}` }],
      })) as { results: { error?: { code: string } }[] };
      return results[0]?.error?.code === 'not found';
    });
  });
}

/** Tests the resource juju_integration. */
export async function testIntegration(account: Account, model: string): Promise<void> {
  await withApi(account, model, async (api) => {
    const { endpoints } = (await api.call('Application', 'AddRelation', {
      endpoints: ['kv:db', 'web:db'],
      'via-cidrs': [],
    })) as { endpoints: Record<string, Json> };
    const roles = (all: readonly (readonly [unknown, Json])[]): unknown =>
      Object.fromEntries(all.map(([name, one]) => [name, [one['name'], one['role']]]));
    const both = { kv: ['db', 'provider'], web: ['db', 'requirer'] };
    assert.deepEqual(roles(Object.entries(endpoints)), both);
    const { relations } = await statusOf(api, null);
    // The provider finds the integration again by its key, "<requirer> <provider>".
    const found = relations.find((one) => one['key'] === 'web:db kv:db');
    assert.deepEqual(roles(found?.endpoints.map((one) => [one['application'], one]) ?? []), both);
    const destroy = (): Promise<Json> =>
      api.call('Application', 'DestroyRelation', {
        endpoints: ['kv:db', 'web:db'],
        'relation-id': 0,
        force: false,
        'max-wait': 30_000_000_000,
      });
    await destroy();
    await eventually('the integration is gone', async () =>
      (await statusOf(api, null)).relations.every((one) => one['key'] !== 'web:db kv:db'),
    );
    assert.equal((await throws(ApiError, destroy)).code, 'not found');
  });
}

/** Tests the resource juju_machine. */
export async function testMachine(account: Account, model: string): Promise<void> {
  const { machines } = (await withApi(account, model, (api) =>
    api.call('MachineManager', 'AddMachines', {
      params: [
        {
          base,
          constraints: { mem: 256 },
          jobs: ['host-units'],
          'parent-id': '',
          'container-type': '',
          'instance-id': '',
          nonce: '',
          'hardware-characteristics': {},
          addresses: null,
        },
      ],
    }),
  )) as { machines: { machine: string }[] };
  const id = machines[0]!.machine;
  await testAnnotations(account, model, `machine-${id}`);
  const machine = await eventually('the machine runs and has a host name', () =>
    withApi(account, model, async (api) => {
      const found = (await statusOf(api, null)).machines[id];
      const { status } = (found?.['instance-status'] ?? {}) as Json;
      return status === 'running' && found?.['hostname'] ? found : undefined;
    }),
  );
  assert.deepEqual([machine['id'], machine['base'], machine['constraints']], [id, base, 'mem=256M']);
  assert(machine['instance-id'] && Array.isArray(machine['ip-addresses']));
  await withApi(account, model, async (api) => {
    await api.results('MachineManager', 'DestroyMachineWithParams', {
      force: false,
      keep: false,
      'dry-run': false,
      'machine-tags': [`machine-${id}`],
    });
    await eventually('the machine is gone', async () => !(await statusOf(api, null)).machines[id]);
  });
}
