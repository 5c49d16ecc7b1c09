import { X509Certificate } from 'node:crypto';

/** End of a CA certificate (PEM), in milliseconds since 1970; undefined where the controller has none of its own. */
export function authorityEnd(caCert: string): number | undefined {
  return caCert.startsWith('-----BEGIN') ? new X509Certificate(caCert).validToDate.getTime() : undefined;
}
