import type { ExternalControllerDoc } from './document.ts';

/** How connections to a controller are tried. */
export interface Ways {
  /** Addresses as `host:port`. */
  readonly addresses: readonly string[];
  /** CA certificates in PEM. */
  readonly caCert: string;
}

/** Addresses that a user has given, and then those that the controller has told; the CAs of both are trusted. */
export function waysTo({ addresses, caCert, told }: ExternalControllerDoc): Ways {
  if (!told) return { addresses, caCert };
  return {
    addresses: [...new Set([...addresses, ...told.addresses])],
    caCert: [...new Set([caCert, told.caCert])].join('\n'),
  };
}
