import { X509Certificate } from 'node:crypto';

/** Returns the SHA-256 in hexadecimal, as in LXD's tokens and lists; '' when the text is no certificate. */
export function fingerprint(certificate: string | X509Certificate): string {
  try {
    const parsed = typeof certificate === 'string' ? new X509Certificate(certificate) : certificate;
    return parsed.fingerprint256.replaceAll(':', '').toLowerCase();
  } catch {
    return '';
  }
}

/** Converts PEM to the form in LXD's API: base64 of the DER, on one line. */
export function derOf(pem: string): string {
  return pem.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '');
}
