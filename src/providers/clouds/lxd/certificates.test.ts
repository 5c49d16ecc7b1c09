import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import { createClientCertificate, type KeyPair } from './certificates.ts';
import { HttpLxdClient } from './connect.ts';
import { derOf, fingerprint } from './pem.ts';

const never = new AbortController().signal;
const now = Date.now();
let [own, client]: [KeyPair, KeyPair] = [
  { certificate: '', key: '' },
  { certificate: '', key: '' },
];
/** The server answers with the certificate that the client showed. */
const server = createServer({ requestCert: true, rejectUnauthorized: false }, (request, response) => {
  const shown = (request.socket as TLSSocket).getPeerX509Certificate();
  response.end(JSON.stringify({ type: 'sync', metadata: shown?.subject ?? 'nobody' }));
});

beforeAll(async () => {
  own = await createClientCertificate({ name: 'the server', now });
  client = await createClientCertificate({ name: 'the client', now });
  server.setSecureContext({ cert: own.certificate, key: own.key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

const subject = (attributes: Readonly<Record<string, string>>): Promise<unknown> => {
  const { port } = server.address() as AddressInfo;
  const credential = { authType: 'certificate', attributes };
  const spec = {
    name: 'far',
    type: 'lxd',
    region: '',
    endpoint: `127.0.0.1:${port}`,
    config: {},
    credential,
  };
  const lxd = new HttpLxdClient(spec, { clock: systemClock, log: silentLog });
  return lxd.request({ method: 'GET', path: '/1.0' }, never).catch((error: unknown) => error);
};

test('A client’s certificate is valid for ten years, and matches its key alone', () => {
  const parsed = new X509Certificate(client.certificate);
  expect(parsed.subject).toBe('O=grigri\nCN=the client');
  expect(parsed.verify(parsed.publicKey)).toBe(true);
  expect(parsed.validFromDate.getTime()).toBeLessThan(now);
  expect(parsed.validToDate.getTime()).toBeGreaterThan(now + 9 * 365 * 86_400_000);
  expect(parsed.raw.equals(Buffer.from(derOf(client.certificate), 'base64'))).toBe(true);
  expect(fingerprint(client.certificate)).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprint(client.certificate)).not.toBe(fingerprint(own.certificate));
  expect(fingerprint('nonsense')).toBe('');
});

test('Only the server with the pinned certificate is accepted', async () => {
  const pair = { 'client-cert': client.certificate, 'client-key': client.key };
  expect(await subject({ ...pair, 'server-cert': own.certificate })).toBe('O=grigri\nCN=the client');
  expect(await subject({ ...pair, 'server-cert': client.certificate })).toMatchObject({
    failure: 'access',
    message: expect.stringContaining(
      `another certificate (SHA-256 ${fingerprint(own.certificate)})`,
    ) as string,
  });
  expect(await subject({ ...pair, 'server-cert': 'nonsense' })).toMatchObject({ failure: 'access' });
  expect(await subject(pair)).toMatchObject({
    failure: 'access',
    message: expect.stringContaining('add it to the credential as server-cert') as string,
  });
});
