/**
 * Keys and certificates of clients, by which LXD authenticates them. Import this file lazily: its dependencies take 100
 * ms to load.
 */
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** Private key and certificate, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' } as const;
const dayMs = 86_400_000;
const validDays = 3650;

/** Creates a key with a self-signed certificate, valid for ten years. `now`: milliseconds since 1970. */
export async function createClientCertificate({
  name,
  now,
}: {
  name: string;
  now: number;
}): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const serial = randomBytes(16);
  // A serial number must be positive: the first bit is cleared.
  serial[0]! &= 0x7f;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial.toString('hex'),
    name: [{ O: ['grigri'] }, { CN: [name] }],
    // The validity starts a day early, because clocks differ.
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + validDays * dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
        true,
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth], false),
      new x509.BasicConstraintsExtension(false, undefined, true),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  };
}
