import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import type { ControllerDetails } from '../../operate/records.ts';
import { ClientStore } from './client-store.ts';
import { withLock } from './lock.ts';

let dir: string;
let store: ClientStore;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'grigri-store-')), 'juju');
  store = new ClientStore(dir, systemClock);
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

const details: ControllerDetails = {
  uuid: '0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b04',
  'api-endpoints': ['10.0.0.5:17070', '[fd00::1]:17070'],
  'ca-cert': '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n',
  cloud: 'local',
  region: 'localhost',
  type: 'local',
  'agent-version': '3.6.28',
};
const readStored = (name: string): string => readFileSync(join(dir, name), 'utf8');

describe('ClientStore', () => {
  test("ClientStore writes the files in Juju's format", async () => {
    await store.addController('ctrl', details, {
      user: 'admin',
      password: '0123',
      'last-known-access': 'superuser',
    });
    await store.setCurrentController('ctrl');
    await store.addModel('ctrl', 'admin/default', { uuid: 'u', type: 'iaas' });
    await store.setCurrentModel('ctrl', 'admin/default');
    expect(['controllers', 'accounts', 'models'].map((name) => readStored(`${name}.yaml`)).join('---\n'))
      .toMatchInlineSnapshot(`
      "controllers:
        ctrl:
          uuid: 0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b04
          api-endpoints: ['10.0.0.5:17070', '[fd00::1]:17070']
          ca-cert: |
            -----BEGIN CERTIFICATE-----
            MII
            -----END CERTIFICATE-----
          cloud: local
          region: localhost
          type: local
          agent-version: 3.6.28
      current-controller: ctrl
      ---
      controllers:
        ctrl:
          user: admin
          password: "0123"
          last-known-access: superuser
      ---
      controllers:
        ctrl:
          models:
            admin/default:
              uuid: u
              type: iaas
          current-model: admin/default
      "
    `);
    expect(readStored('cookies/ctrl.json')).toBe('[]\n');
    for (const file of ['controllers.yaml', 'accounts.yaml', 'models.yaml', 'cookies/ctrl.json']) {
      expect(statSync(join(dir, file)).mode & 0o777, file).toBe(0o600);
    }
  });

  test('ClientStore removes a controller from all files', async () => {
    await store.addController('ctrl', details, { user: 'admin', password: 'pw' });
    await store.addController('other', details, { user: 'admin', password: 'pw' });
    await store.setCurrentController('ctrl');
    await store.removeController('ctrl');
    expect(Object.keys(await store.controllers())).toEqual(['other']);
    expect(await store.currentController()).toBeUndefined();
    expect(await store.account('ctrl')).toBeUndefined();
    expect(readStored('models.yaml')).not.toContain('ctrl');
    expect(existsSync(join(dir, 'cookies/ctrl.json'))).toBe(false);
    await store.removeController('other');
    expect(readStored('controllers.yaml')).toBe('controllers: {}\n');
  });

  test('ClientStore keeps keys that other clients wrote', async () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(
      join(dir, 'controllers.yaml'),
      'controllers:\n  aws:\n    uuid: x\n    api-endpoints: []\n    ca-cert: ""\n    cloud: aws\n    oidc-login: true\n    dns-cache: {h: [1.2.3.4]}\n',
    );
    await store.addController('ctrl', details, { user: 'admin' });
    await store.updateController('aws', { uuid: 'x', 'api-endpoints': ['a:1'], 'ca-cert': '', cloud: 'aws' });
    expect(readStored('controllers.yaml')).toContain('oidc-login: true');
    expect(readStored('controllers.yaml')).toContain('dns-cache:');
  });

  test('ClientStore refuses a controller name that is taken', async () => {
    await store.addController('ctrl', details, { user: 'admin' });
    await expect(store.addController('ctrl', details, { user: 'admin' })).rejects.toThrow(
      'controller "ctrl" already exists',
    );
  });

  test('ClientStore forgets a current model that the controller no longer has', async () => {
    await store.addController('ctrl', details, { user: 'admin' });
    await store.addModel('ctrl', 'admin/a', { uuid: '1', type: 'iaas' });
    await store.setCurrentModel('ctrl', 'admin/a');
    const known = await store.models('ctrl');
    await store.setModels('ctrl', { 'admin/b': { uuid: '2', type: 'iaas' } }, known);
    expect(await store.currentModel('ctrl')).toBeUndefined();
    expect(await store.models('ctrl')).toEqual({ 'admin/b': { uuid: '2', type: 'iaas' } });
  });

  test('ClientStore loses no change of concurrent clients', async () => {
    await store.addController('ctrl', details, { user: 'admin' });
    const clients = Array.from({ length: 20 }, (_, i) =>
      new ClientStore(dir, systemClock).addModel('ctrl', `admin/m${i}`, { uuid: String(i), type: 'iaas' }),
    );
    await Promise.all(clients);
    expect(Object.keys(await store.models('ctrl'))).toHaveLength(20);
    expect(readdirSync(dir).filter((name) => name.startsWith('.') || name.includes('tmp'))).toEqual([]);
  });

  test('ClientStore reads a file again that another client, or a damage, has changed since', async () => {
    await store.addController('ctrl', details, { user: 'admin' });
    expect(await store.currentController()).toBeUndefined();
    await new ClientStore(dir, systemClock).setCurrentController('ctrl');
    expect(await store.currentController()).toBe('ctrl');
    writeFileSync(join(dir, 'controllers.yaml'), 'controllers: [');
    await expect(store.currentController()).rejects.toThrow('cannot read');
  });

  test('ClientStore names the file that cannot be read', async () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'controllers.yaml'), 'controllers: [');
    await expect(store.controllers()).rejects.toThrow(`cannot read ${join(dir, 'controllers.yaml')}`);
  });
});

test('a lock of a dead client is taken over', async () => {
  const path = join(dir, '.lock');
  mkdirSync(dir, { recursive: true });
  // No process has a number this large.
  writeFileSync(path, '99999999');
  expect(await withLock(path, systemClock, () => Promise.resolve(1))).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('a lock of a living client is waited for until the time limit', async () => {
  const path = join(dir, '.lock');
  mkdirSync(dir, { recursive: true });
  writeFileSync(path, String(process.pid));
  let now = 0;
  const clock = { now: () => now, sleep: () => Promise.resolve(void (now += 1000)) };
  await expect(withLock(path, clock, () => Promise.resolve())).rejects.toThrow('another client holds');
});
