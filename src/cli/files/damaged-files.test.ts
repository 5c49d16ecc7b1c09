/** Client files damaged by a crash, a full disk or an editor: errors name them, and they are never overwritten. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { ClientStore } from './client-store.ts';
import { CloudFiles } from './cloud-files.ts';

let dir: string;
let store: ClientStore;
let clouds: CloudFiles;
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'grigri-damaged-'));
  store = new ClientStore(dir, systemClock);
  clouds = new CloudFiles(dir, systemClock);
  await store.addController(
    'mine',
    { uuid: 'u', 'api-endpoints': ['10.0.0.5:17070'], 'ca-cert': pem, cloud: 'zoo', type: 'lxd' },
    { user: 'admin', password: 'secret' },
  );
  await store.addModel('mine', 'admin/web', { uuid: 'm', type: 'iaas' });
  await store.setCurrentModel('mine', 'admin/web');
  await store.setBootstrapConfig('mine', {
    'controller-config': { 'data-dir': '/x' },
    'model-config': {},
    'controller-model-uuid': 'c',
    cloud: 'zoo',
    type: 'lxd',
  });
  await clouds.setCloud('zoo', { type: 'lxd', 'ca-certificates': [pem] });
  await clouds.setCredential('zoo', 'work', {
    authType: 'certificate',
    attributes: { 'client-key': pem.replaceAll('CERTIFICATE', 'EC PRIVATE KEY') },
  });
});
afterEach(() => rmSync(dir, { recursive: true }));

const account = { user: 'bob', password: 'other' };
const details = { uuid: 'v', 'api-endpoints': [], 'ca-cert': '', cloud: 'zoo' };
/** Functions that use each file: the first reads it, the others write it. */
const files: Readonly<Record<string, readonly (() => Promise<unknown>)[]>> = {
  controllers: [
    () => store.controllers(),
    () => store.setCurrentController('mine'),
    () => store.addController('new', details, account),
    () => store.removeController('mine'),
  ],
  accounts: [
    () => store.account('mine'),
    () => store.setAccess('mine', 'login'),
    () => store.addController('new', details, account),
    () => store.removeController('mine'),
  ],
  models: [
    () => store.models('mine'),
    () => store.setModels('mine', {}, {}),
    () => store.addModel('mine', 'admin/new', { uuid: 'n', type: 'iaas' }),
    () => store.addController('new', details, account),
    () => store.removeController('mine'),
  ],
  'bootstrap-config': [() => store.bootstrapConfig('mine'), () => store.removeController('mine')],
  clouds: [() => clouds.clouds(), () => clouds.setCloud('new', { type: 'lxd' })],
  credentials: [
    () => clouds.credentials(),
    () => clouds.setCredential('zoo', 'new', { authType: 'empty', attributes: {} }),
    () => clouds.setDefault('default-region', 'zoo', 'north'),
  ],
};
const allFiles = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { withFileTypes: true }).flatMap((one) =>
      one.isFile() ? [[one.name, readFileSync(join(dir, one.name), 'utf8')]] : [],
    ),
  );

const damages: Readonly<Record<string, (text: string) => string>> = {
  'is empty': () => '',
  'is of zeros': (text) => '\0'.repeat(text.length),
  'is a list': () => '- a\n- b\n',
  'is a word': () => 'nothing\n',
  'is no YAML': (text) => `${text}  }: [\n`,
  'has a list where a map belongs': (text) => `${text.split('\n')[0]!}\n- a\n`,
};

describe.each(Object.keys(files))('%s.yaml', (name) => {
  test.each(Object.keys(damages))(
    'a file that %s is named by every reader and writer, and stays unchanged',
    async (damage) => {
      const path = join(dir, `${name}.yaml`);
      writeFileSync(path, damages[damage]!(readFileSync(path, 'utf8')));
      const before = allFiles();
      for (const use of files[name]!) {
        const message = await use().then(
          () => 'no error',
          (error: Error) => error.message,
        );
        expect(message).toContain(`cannot read ${path}`);
        expect(message).toContain('The file is damaged and was not changed: repair it');
        expect(message).not.toContain('secret');
      }
      expect(allFiles()).toEqual(before);
    },
  );

  test('a file with nothing but line ends is read as empty', async () => {
    writeFileSync(join(dir, `${name}.yaml`), '\n\n');
    for (const use of files[name]!) await use();
  });

  test('a file that does not exist is no error', async () => {
    rmSync(join(dir, `${name}.yaml`));
    await files[name]![0]!();
    await files[name]![1]!();
  });
});

test.each(['controllers', 'accounts', 'models', 'bootstrap-config'])(
  '%s.yaml cut off anywhere but between two entries is named',
  async (name) => {
    const path = join(dir, `${name}.yaml`);
    const text = readFileSync(path, 'utf8');
    const accepted: string[] = [];
    for (let length = 0; length < text.length; length++) {
      writeFileSync(path, text.slice(0, length));
      await files[name]![0]!().then(
        () => accepted.push(text.slice(0, length)),
        (error: Error) => expect(error.message).toContain(`cannot read ${path}`),
      );
    }
    // A text cut off after a whole line is accepted when all required members are there.
    expect(accepted.every((one) => one.endsWith('\n'))).toBe(true);
    expect(accepted.length).toBeLessThanOrEqual(3);
  },
);

/** Contents of files with the errors that name their place. */
const wrong: Readonly<Record<string, readonly (readonly [text: string, expected: string])[]>> = {
  controllers: [
    ['controllers:\n  mine:\n    uuid: u\n', 'line 2: api-endpoints of controller "mine" is missing'],
    ['controllers:\n  mine:\n', 'line 2: controller "mine" must be a map'],
    ['controllers: 5\n', 'line 1: controllers must be a map'],
    ['controllers: {}\ncurrent-controller: [a]\n', 'line 2: current-controller must be a string'],
    [`controllers:\n  mine:\n    ca-cert: |\n      ${pem.slice(0, 30)}\n`, 'line 4: this block has no end'],
    ['controllers:\n  a: {}\n a: {}\n', 'line 3: '],
  ],
  accounts: [['controllers:\n  mine: {password: secret}\n', 'line 2: user of controller "mine" is missing']],
  models: [
    ['controllers:\n  mine:\n    models:\n      admin/a: 7\n', 'line 4: model "admin/a" must be a map'],
  ],
  clouds: [['clouds:\n  a:\n    type: lxd\n  b:\n    endpoint: x\n', 'line 4: cloud "b" has no type']],
  credentials: [
    ['credentials:\n  zoo:\n    work: secret\n', 'line 3: credential "work" of cloud "zoo" has no auth-type'],
    ['credentials:\n  zoo: [secret]\n', 'line 2: the entry of cloud "zoo" must be a map'],
  ],
};

test.each(Object.entries(wrong).flatMap(([name, cases]) => cases.map((one) => [name, ...one] as const)))(
  '%s.yaml with %j is named with the line',
  async (name, text, expected) => {
    const path = join(dir, `${name}.yaml`);
    writeFileSync(path, text);
    const message = files[name]![0]!();
    await expect(message).rejects.toThrow(`cannot read ${path}, ${expected}`);
    await expect(message).rejects.not.toThrow('secret');
  },
);

test('a directory in place of a file is an error', async () => {
  rmSync(join(dir, 'models.yaml'));
  mkdirSync(join(dir, 'models.yaml'));
  await expect(store.models('mine')).rejects.toThrow('EISDIR');
});

test('setModels keeps a model that another client added after the controller was asked', async () => {
  const known = await store.models('mine');
  const otherClient = new ClientStore(dir, systemClock);
  await otherClient.addModel('mine', 'admin/new', { uuid: 'n', type: 'iaas' });
  await otherClient.setCurrentModel('mine', 'admin/new');
  await store.setModels('mine', { 'admin/web': { uuid: 'm', type: 'iaas' } }, known);
  expect(Object.keys(await store.models('mine')).sort()).toEqual(['admin/new', 'admin/web']);
  expect(await store.currentModel('mine')).toBe('admin/new');
});

test('a failed write leaves the file unchanged and no other file behind', async () => {
  const before = allFiles();
  rmSync(join(dir, 'controllers.yaml'));
  mkdirSync(join(dir, 'controllers.yaml', 'in the way'), { recursive: true });
  await expect(store.setCurrentController('mine')).rejects.toThrow();
  expect(readdirSync(join(dir, 'controllers.yaml'))).toEqual(['in the way']);
  expect(Object.keys(allFiles()).sort()).toEqual(
    Object.keys(before)
      .filter((name) => name !== 'controllers.yaml')
      .sort(),
  );
});
