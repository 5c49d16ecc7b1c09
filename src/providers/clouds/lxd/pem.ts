import { X509Certificate } from 'node:crypto';

/** SHA-256 in hex, as LXD's tokens and lists have it; '' of what is no certificate. */
export function fingerprint(certificate: string | X509Certificate): string {
  try {
    const parsed = typeof certificate === 'string' ? new X509Certificate(certificate) : certificate;
    return parsed.fingerprint256.replaceAll(':', '').toLowerCase();
  } catch {
    return '';
  }
}

/** PEM → what LXD's API takes for a certificate: base64 of DER, on one line. */
export function derOf(pem: string): string {
  return pem.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '');
}
