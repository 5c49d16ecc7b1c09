import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { CloudFiles } from './cloud-files.ts';

let dir: string;
let files: CloudFiles;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'grigri-clouds-')), 'juju');
  files = new CloudFiles(dir, systemClock);
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

const readStored = (name: string): string => readFileSync(join(dir, name), 'utf8');
const write = (name: string, content: string): void => {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), content);
};

test("clouds are written in Juju's format, with regions in their order", async () => {
  await files.setCloud('home', {
    type: 'lxd',
    'auth-types': ['certificate', 'empty'],
    endpoint: 'https://10.0.0.1:8443',
    regions: new Map([
      ['2', {}],
      ['1', { endpoint: 'https://10.0.0.2:8443' }],
      ['0', {}],
    ]),
    config: { project: 'yes' },
  });
  expect(readStored('clouds.yaml')).toBe(`clouds:
  home:
    type: lxd
    auth-types: [certificate, empty]
    endpoint: https://10.0.0.1:8443
    regions:
      "2": {}
      "1":
        endpoint: https://10.0.0.2:8443
      "0": {}
    config:
      project: "yes"
`);
  const home = (await files.clouds()).get('home');
  expect([...(home?.regions?.keys() ?? [])]).toEqual(['2', '1', '0']);
  expect(home).toMatchObject({ type: 'lxd', config: { project: 'yes' } });
});

test('changes of cloud files keep comments, order and unknown keys', async () => {
  write(
    'clouds.yaml',
    `# mine
clouds:
  # the big one
  zoo:
    type: openstack
    host-cloud-region: k8s/x
    regions: {b: {}, a: {}}
  home: {type: lxd, future: [1, 2]}
later: true
`,
  );
  await files.setCloud('home', { type: 'lxd', endpoint: '/run/lxd' });
  await files.setCloud('new', { type: 'lxd' });
  expect(readStored('clouds.yaml')).toBe(`# mine
clouds:
  # the big one
  zoo:
    type: openstack
    host-cloud-region: k8s/x
    regions: {b: {}, a: {}}
  home:
    type: lxd
    endpoint: /run/lxd
    future:
    - 1
    - 2
  new:
    type: lxd
later: true
`);
  expect([...((await files.clouds()).get('zoo')?.regions?.keys() ?? [])]).toEqual(['b', 'a']);
  await files.setCloud('zoo', undefined);
  expect(readStored('clouds.yaml')).not.toContain('zoo:');
});

test.each(['# only comments\n', 'clouds:\n', 'clouds: {}\n'])(
  'a cloud is added to a file that contains only %j',
  async (content) => {
    write('clouds.yaml', content);
    await files.setCloud('a', undefined);
    await files.setCloud('a', { type: 'lxd' });
    expect(readStored('clouds.yaml')).toBe(
      `${content.startsWith('#') ? `${content}\n` : ''}clouds:\n  a:\n    type: lxd\n`,
    );
  },
);

test('credentials are stored with their defaults, readable only by their owner', async () => {
  await files.setCredential('home', 'main', {
    authType: 'certificate',
    attributes: { 'client-cert': 'A\nB\n', 'client-key': '007' },
  });
  await files.setDefault('default-credential', 'home', 'main');
  await files.setDefault('default-region', 'home', 'north');
  expect(readStored('credentials.yaml')).toBe(`credentials:
  home:
    main:
      auth-type: certificate
      client-cert: |
        A
        B
      client-key: "007"
    default-credential: main
    default-region: north
`);
  expect(statSync(join(dir, 'credentials.yaml')).mode & 0o777).toBe(0o600);
  expect(await files.credentialsOf('home')).toEqual({
    defaultCredential: 'main',
    defaultRegion: 'north',
    credentials: new Map([
      ['main', { authType: 'certificate', attributes: { 'client-cert': 'A\nB\n', 'client-key': '007' } }],
    ]),
  });
  await files.setCredential('home', 'main', undefined);
  expect(readStored('credentials.yaml')).toBe('credentials:\n  home:\n    default-region: north\n');
  await files.setDefault('default-region', 'home', undefined);
  expect(await files.credentialsOf('home')).toEqual({ credentials: new Map() });
});

test('a credentials file of Juju is read with numbers as texts', async () => {
  write(
    'credentials.yaml',
    'credentials:\n  maas:\n    default-credential: c\n    c:\n      auth-type: oauth1\n      maas-oauth: 12:34\n      pin: 7\n',
  );
  expect((await files.credentialsOf('maas')).credentials.get('c')).toEqual({
    authType: 'oauth1',
    attributes: { 'maas-oauth': '12:34', pin: '7' },
  });
});

test.each([
  ['clouds.yaml', 'clouds: [', /cannot read .*clouds\.yaml/],
  ['clouds.yaml', 'clouds: {a: {endpoint: x}}', /cloud "a" has no type/],
  ['credentials.yaml', 'credentials: {a: {b: {}}}', /credential "b" of cloud "a" has no auth-type/],
])('%s with %j is refused by name', async (name, content, message) => {
  write(name, content);
  await expect(name === 'clouds.yaml' ? files.clouds() : files.credentials()).rejects.toThrow(message);
});
