import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../kit/clock.ts';
import { detect } from './detect.ts';
import { isLocal, parseEndpoint } from './endpoint.ts';
import { startTestLxd } from '../../../testing/providers/test-lxd.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'grigri-detect-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const io = (env: Readonly<Record<string, string>> = {}) => ({
  env,
  home,
  clock: systemClock,
  signal: new AbortController().signal,
});
const remotes = async (env: Readonly<Record<string, string>> = {}) =>
  (await detect(io(env))).filter(({ name }) => name !== 'localhost');

test('The LXD of this host is detected by its socket', async () => {
  const lxd = await startTestLxd();
  const { endpoint } = lxd.spec;
  const found = await detect(io({ LXD_DIR: join(endpoint, '..') }));
  expect(found).toEqual([{ name: 'localhost', endpoint, regions: ['localhost'], credentials: {} }]);
  await lxd.close();
});

test('The remotes of the lxc client are detected as clouds with their certificates', async () => {
  const folder = join(home, '.config/lxc');
  mkdirSync(join(folder, 'servercerts'), { recursive: true });
  writeFileSync(
    join(folder, 'config.yml'),
    `default-remote: local
remotes:
  images: {addr: 'https://images.example.com', protocol: simplestreams, public: true}
  local: {addr: 'unix://', public: false}
  far: {addr: 'https://10.0.0.9:8443', auth_type: tls, project: default, protocol: lxd, public: false}
  near: {addr: 'https://10.0.0.8:8443', auth_type: tls, protocol: lxd, public: false}
`,
  );
  expect(await remotes()).toEqual([]);
  writeFileSync(join(folder, 'client.crt'), 'CERT');
  writeFileSync(join(folder, 'client.key'), 'KEY');
  writeFileSync(join(folder, 'servercerts/far.crt'), 'FAR');
  const label = (name: string): string => `lxc remote "${name}" (${join(folder, 'config.yml')})`;
  const cloud = (name: string, endpoint: string, attributes: object): object => ({
    name,
    endpoint,
    regions: ['default'],
    credentials: { [name]: { authType: 'certificate', attributes, label: label(name) } },
  });
  const own = { 'client-cert': 'CERT', 'client-key': 'KEY' };
  expect(await remotes()).toEqual([
    cloud('far', 'https://10.0.0.9:8443', { ...own, 'server-cert': 'FAR' }),
    cloud('near', 'https://10.0.0.8:8443', own),
  ]);
  // Another configuration of the client takes precedence.
  expect(await remotes({ LXD_CONF: join(home, 'elsewhere') })).toHaveLength(2);
});

test('Unreadable configuration yields no cloud and no error', async () => {
  mkdirSync(join(home, '.config/lxc'), { recursive: true });
  writeFileSync(join(home, '.config/lxc/config.yml'), '{{{');
  expect(await remotes()).toEqual([]);
});

test.each([
  ['unix:///run/lxd.sock', { socket: '/run/lxd.sock' }],
  ['/run/lxd.sock', { socket: '/run/lxd.sock' }],
  ['', { socket: '/srv/lxd/unix.socket' }],
  ['unix://', { socket: '/srv/lxd/unix.socket' }],
  ['localhost', { socket: '/srv/lxd/unix.socket' }],
  ['https://10.0.0.9:443', { origin: 'https://10.0.0.9:443' }],
  ['https://lxd.example.com', { origin: 'https://lxd.example.com:8443' }],
  ['lxd.example.com', { origin: 'https://lxd.example.com:8443' }],
  ['10.0.0.9:9443', { origin: 'https://10.0.0.9:9443' }],
  ['[fd42::1]:8443', { origin: 'https://[fd42::1]:8443' }],
])('The endpoint "%s" is parsed', (text, expected) => {
  expect(parseEndpoint(text, { LXD_DIR: '/srv/lxd' })).toEqual(expected);
  expect(isLocal(text)).toBe('socket' in expected);
});

test.each(['http://10.0.0.9', 'https://', 'not a host', 'https://a:b'])(
  'The endpoint "%s" is invalid',
  (text) => {
    expect(() => parseEndpoint(text, {})).toThrow(
      'expected https://<host>:8443, or the path of a unix socket',
    );
  },
);
