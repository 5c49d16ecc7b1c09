/** TLS to a Vault server (secrets.md#backend-tls), with certificates that are made here. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FakeVault } from '../../testing/fake-vault.ts';
import { makeTestCa, type TestCa } from '../../testing/test-ca.ts';
import { VaultApi } from './vault-api.ts';
import { tlsProblem } from './vault-tls.ts';

const name = 'vault.internal';
let ca: TestCa;
let other: TestCa;
let client: TestCa['server'];
let vault: FakeVault;
let strict: FakeVault;
beforeAll(async () => {
  [ca, other] = await Promise.all([makeTestCa(name), makeTestCa(name)]);
  client = await ca.issue('controller');
  vault = await FakeVault.start(ca.server);
  strict = await FakeVault.start({
    ...ca.server,
    ca: ca.caCert,
    requestCert: true,
    rejectUnauthorized: true,
  });
});
afterAll(async () => {
  await vault[Symbol.asyncDispose]();
  await strict[Symbol.asyncDispose]();
});
afterEach(() => void (vault.says = undefined));

const ask = (config: Record<string, string>, server = vault): Promise<unknown> =>
  new VaultApi('myvault', { endpoint: server.endpoint, token: 'root', ...config }).send('GET', 'sys/mounts');
const tls = (): Record<string, string> => ({ 'ca-cert': ca.caCert, 'tls-server-name': name });
const clientCert = (of: TestCa['server']): Record<string, string> => ({
  ...tls(),
  'client-cert': of.cert,
  'client-key': of.key,
});

test('a server is asked when its certificate is of the authority in ca-cert and for tls-server-name', async () => {
  expect(await ask({ ...tls(), namespace: 'team/a' })).toMatchObject({ status: 200 });
  expect(vault.headers['x-vault-namespace']).toBe('team/a');
  const api = new VaultApi('myvault', { endpoint: vault.endpoint, ...tls(), namespace: 'team/a' });
  await api.health();
});

test('a server that asks for a client certificate gets it', async () => {
  expect(await ask(clientCert(client), strict)).toMatchObject({ status: 200 });
});

test.each<[string, () => Promise<unknown>, string]>([
  [
    'no authority is given',
    () => ask({ 'tls-server-name': name }),
    'has a certificate of an unknown authority: ca-cert is to be that authority’s certificate',
  ],
  [
    'the authority is another',
    () => ask({ ...tls(), 'ca-cert': other.caCert }),
    'has a certificate that is not of the authority in ca-cert',
  ],
  [
    'the name is another',
    () => ask({ 'ca-cert': ca.caCert }),
    `has a certificate for DNS:${name}: tls-server-name is to be one of these`,
  ],
  [
    'ca-cert is no certificate',
    () => ask({ ...tls(), 'ca-cert': 'x' }),
    'has certificates or a key that cannot be read',
  ],
  [
    'the client’s key is not that of its certificate',
    async () => ask({ ...clientCert(client), 'client-key': (await ca.issue('controller')).key }),
    'has certificates or a key that cannot be read',
  ],
  [
    'the server wants a client certificate',
    () => ask(tls(), strict),
    'requires a client certificate: client-cert and client-key',
  ],
  [
    'the endpoint is http',
    async () => {
      vault.says = 'Client sent an HTTP request to an HTTPS server.';
      return new VaultApi('myvault', { endpoint: vault.endpoint.replace('https', 'http') }).health();
    },
    'cannot be reached',
  ],
])('the error says what is wrong when %s', async (_, asked, message) => {
  const error = await asked().then(String, String);
  expect(error).toContain(`secret backend "myvault" ${message}`);
  expect(error).not.toMatch(/not found|permission denied|BEGIN/i);
});

test('a server without TLS behind an https endpoint is told apart', async () => {
  await using plain = await FakeVault.start();
  const endpoint = plain.endpoint.replace('http', 'https');
  await expect(ask({ ...tls(), endpoint })).rejects.toThrow(
    'does not speak TLS: its endpoint begins with http',
  );
});

test.each(['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'])(
  'a client certificate that the server refuses is blamed: %s',
  (code) => {
    const error = Object.assign(new Error('alert'), { code });
    expect(tlsProblem(error, { 'client-cert': 'x' })).toBe('does not accept the client certificate');
    expect(tlsProblem(error, {})).toContain('requires a client certificate');
  },
);
