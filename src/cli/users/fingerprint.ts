import { X509Certificate } from 'node:crypto';

/**
 * Returns the SHA-256 of a certificate in PEM, as Juju shows it: `FA:B6:…`; undefined for text that is no certificate.
 */
export function fingerprint(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch {
    return undefined;
  }
}
