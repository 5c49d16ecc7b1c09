/** Result of `controller init` on an instance that bootstrap created for it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { machineView } from '../../controller/machine-view.ts';
import type { Entities } from '../../core/kinds.ts';
import { indexes } from '../../core/documents.ts';
import { defined } from '../../core/defined.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { InitConfig } from '../../wire/controller-init.ts';
import { dataPaths } from './data-dir.ts';
import { endController } from './end.ts';
import { initController } from './init.ts';

const simulated = createSimulatedProvider();
const provider: Provider = {
  ...simulated,
  authTypes: {
    userpass: {
      user: { type: 'string', description: 'who' },
      password: { type: 'string', description: 'the password', secret: true },
    },
  },
};
const providers = new Map([[provider.type, provider]]);
const config: InitConfig = {
  name: 'mine',
  cloud: {
    name: 'sky',
    type: provider.type,
    region: 'north',
    endpoint: 'https://sky.example',
    regions: [{ name: 'south' }, { name: 'north', endpoint: 'https://north.example' }],
  },
  credential: { name: 'me', authType: 'userpass', attributes: { user: 'u', password: 'open sesame' } },
  instance: {
    controllerUuid: '0c3c2d5e-0000-4000-8000-000000000001',
    modelUuid: '0c3c2d5e-0000-4000-8000-000000000002',
    nonce: 'user-admin:bootstrap:x',
    id: 'i-1',
    displayName: 'juju-000002-0',
    zone: 'z2',
    hardware: { arch: 'amd64', mem: 2048 },
    addresses: [
      { value: '203.0.113.9', type: 'ipv4', scope: 'public' },
      { value: '10.0.0.9', type: 'ipv4', scope: 'local-cloud' },
    ],
  },
  adminUser: 'admin',
  adminPassword: 'secret',
  config: { 'api-port': 0 },
  bootstrapConstraints: 'mem=2G',
};

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'grigri-init-'))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function readStore<T>(
  look: (store: ReturnType<typeof openSqliteStore<Entities>>) => Promise<T> | T,
): Promise<T> {
  const path = dataPaths(dataDir).store;
  const store = openSqliteStore<Entities>({ path, indexes, now: Date.now, newUuid: () => '' });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

test("The controller's instance is machine 0, which the provisioner neither starts nor stops", async () => {
  const result = await initController(dataDir, config, providers);
  expect(result).toMatchObject({
    uuid: config.instance!.controllerUuid,
    modelUuid: config.instance!.modelUuid,
  });
  const hosts = result.addresses.map((address) => address.replace(/:\d+$/, ''));
  expect(hosts).toContain('203.0.113.9');
  expect(hosts.filter((host) => host.startsWith('127.') || host === '[::1]')).toEqual([]);
  await readStore((store) => {
    const view = store.read().in(result.modelUuid);
    const machine = view.get('machine', '0')!;
    expect(machine).toMatchObject({
      nonce: 'user-admin:bootstrap:x',
      zone: 'z2',
      instance: { id: 'i-1', hardware: { availabilityZone: 'z2', mem: 2048 } },
      constraints: { mem: 2048 },
      addresses: config.instance!.addresses,
      isController: true,
    });
    expect(machine.instance!.unmanaged).toBeUndefined();
    expect(machineView(view, machine)).toMatchObject({ unmanaged: true, keepInstance: true });
  });
});

test('The model has the given cloud and credential, and the store contains no secret in clear text', async () => {
  const { modelUuid } = await initController(dataDir, config, providers);
  await readStore((store) => {
    const root = store.read().in('');
    expect(root.get('cloud', 'sky')).toMatchObject({
      endpoint: 'https://sky.example',
      regions: config.cloud.regions,
    });
    expect(root.get('model', modelUuid)).toMatchObject({ credential: 'sky_admin_me', region: 'north' });
    expect(root.get('credential', 'sky_admin_me')!.attributes['user']).toBe('u');
  });
  for (const file of ['store.db', 'store.db-wal'].map((name) => join(dataDir, name)))
    if (existsSync(file)) expect(readFileSync(file).includes('open sesame')).toBe(false);
});

test('The cloud document contains the given settings without defaults', async () => {
  const cloud = { ...config.cloud, config: { 'test-size': 3 } };
  await initController(dataDir, { ...config, cloud, modelDefaults: { 'hook-timeout': '5m' } }, providers);
  await readStore((store) =>
    expect(store.read().in('').get('cloud', 'sky')?.config).toEqual({ 'test-size': 3, 'hook-timeout': '5m' }),
  );
});

test('Cloud settings that no new model could inherit are refused before anything is written', async () => {
  const cloud = { ...config.cloud, config: { colours: ['red'] } };
  const dir = join(dataDir, 'none');
  await expect(initController(dir, { ...config, cloud }, providers)).rejects.toThrow(
    'colours: expected string, got ["red"]',
  );
  expect(existsSync(dir)).toBe(false);
});

test('The end command removes the resources of all models, and names the clouds that refuse', async () => {
  const { modelUuid } = await initController(dataDir, config, providers);
  const endedModels: string[] = [];
  const watching = (refuses: boolean): Provider => ({
    ...provider,
    open: (params) => ({
      ...provider.open(params),
      destroyModel: () =>
        refuses
          ? Promise.reject(new Error('out of order'))
          : Promise.resolve(void endedModels.push(params.modelUuid)),
      destroyController: () =>
        Promise.resolve(void endedModels.push(params.cloud.credential!.attributes['password']!)),
    }),
  });
  expect(await endController(dataDir, new Map([[provider.type, watching(true)]]))).toEqual({
    failures: [{ model: 'admin/controller', message: 'out of order' }],
  });
  expect(await endController(dataDir, new Map([[provider.type, watching(false)]]))).toEqual({ failures: [] });
  expect(endedModels).toEqual([modelUuid, 'open sesame']);
});

test('The end command removes nothing while the controller that a model is migrated to may have it', async () => {
  const { modelUuid: model } = await initController(dataDir, config, providers);
  const setPhase = (phase: 'VALIDATION' | 'REAP', asked?: true): Promise<void> =>
    readStore((store) =>
      store.change((tx) => {
        const target = { uuid: 'u', alias: 'new', addresses: [], caCert: '', user: 'user-admin' };
        const at = { startedAt: tx.now, phaseAt: tx.now };
        tx.put('migration', model, {
          model,
          attempt: 0,
          phase,
          ...at,
          message: '',
          target,
          ...defined({ asked }),
        });
      }, 'test'),
    );
  let calls = 0;
  const ended = (): Promise<void> => Promise.resolve(void calls++);
  const watching: Provider = {
    ...provider,
    open: (params) => ({ ...provider.open(params), destroyModel: ended, destroyController: ended }),
  };
  const end = () => endController(dataDir, new Map([[provider.type, watching]]));
  await setPhase('VALIDATION', true);
  const { failures } = await end();
  expect(failures).toMatchObject([{ model: 'admin/controller' }]);
  expect(failures[0]!.message).toContain("may be controller new's already");
  expect(calls).toBe(0);
  await setPhase('REAP', true);
  expect(await end()).toEqual({ failures: [] });
  await setPhase('VALIDATION');
  expect(await end()).toEqual({ failures: [] });
  expect(calls).toBe(4);
});
