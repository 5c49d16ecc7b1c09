import { X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import tls from 'node:tls';
import { expect, it } from 'vitest';
import { createAuthority, createServerCertificate } from './certificates.ts';

const now = Date.now();
const authority = await createAuthority({ now, uuid: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' });
const server = await createServerCertificate({
  authority,
  addresses: ['10.1.2.3', 'db.example.com', 'fd00::1'],
  now,
});

it('the authority may sign and the leaf may not', () => {
  expect(new X509Certificate(authority.certificate).ca).toBe(true);
  const leaf = new X509Certificate(server.certificate);
  expect(leaf.ca).toBe(false);
  expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  expect(leaf.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
});

it('the leaf has the names that clients check', () => {
  const leaf = new X509Certificate(server.certificate);
  for (const name of [
    'localhost',
    'juju-apiserver',
    'juju-mongodb',
    'anything',
    'db.example.com',
    hostname(),
  ])
    expect(leaf.checkHost(name), name).toBe(name);
  for (const ip of ['127.0.0.1', '10.1.2.3', 'fd00::1']) expect(leaf.checkIP(ip), ip).toBe(ip);
});

it('a client that trusts the authority sees leaf and authority', async () => {
  const listener = tls.createServer({ cert: server.certificate, key: server.key }, (socket) => socket.end());
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = listener.address() as { port: number };
    const chain = await new Promise<string>((resolve, reject) => {
      const socket = tls.connect(
        { port, host: '127.0.0.1', ca: authority.certificate, servername: 'juju-apiserver' },
        () => {
          resolve(socket.getPeerX509Certificate()?.issuerCertificate?.fingerprint256 ?? '');
          socket.destroy();
        },
      );
      socket.on('error', reject);
    });
    expect(chain).toBe(new X509Certificate(authority.certificate).fingerprint256);
  } finally {
    listener.close();
  }
});

it('a certificate of another authority is not trusted', async () => {
  const other = await createAuthority({ now, uuid: 'f47ac10b-58cc-4372-a567-0e02b2c3d480' });
  expect(
    new X509Certificate(server.certificate).verify(new X509Certificate(other.certificate).publicKey),
  ).toBe(false);
});
