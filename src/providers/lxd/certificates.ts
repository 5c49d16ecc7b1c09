/** Keys and certificates of clients: LXD knows who asks by them. */
import { randomBytes, webcrypto } from 'node:crypto';

/** Both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' } as const;
const dayMs = 86_400_000;
const validDays = 3650;

/** A new key with a self-signed certificate, good for ten years. `now`: milliseconds since 1970. */
export async function createClientCertificate({
  name,
  now,
}: {
  name: string;
  now: number;
}): Promise<KeyPair> {
  const { x509 } = await import('./x509.ts');
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const serial = randomBytes(16);
  // Positive: the first bit is clear.
  serial[0]! &= 0x7f;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial.toString('hex'),
    name: [{ O: ['grigri'] }, { CN: [name] }],
    // Clocks differ: what was made just now is valid already.
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

/** PEM → what LXD's API takes for a certificate: base64 of DER, on one line. */
export function derOf(pem: string): string {
  return pem.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '');
}
