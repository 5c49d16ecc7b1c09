/** Problems of a backend's certificates, in words that say what to change (secrets.md#backend-tls). */
import type { BackendConfig } from '../../core/secret-backend/config.ts';

const unknownAuthority = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

/** Reason why a TLS connection failed, to go on after the backend's name; undefined for errors of another kind. */
export function tlsProblem(error: Error, config: BackendConfig): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (unknownAuthority.has(code))
    return config['ca-cert'] === undefined
      ? 'has a certificate of an unknown authority: ca-cert is to be that authority’s certificate'
      : 'has a certificate that is not of the authority in ca-cert';
  if (code === 'CERT_HAS_EXPIRED') return 'has a certificate that has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'has a certificate that is not valid yet';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = (error as { cert?: { subjectaltname?: string } }).cert?.subjectaltname ?? 'no name';
    return `has a certificate for ${names}: tls-server-name is to be one of these, or the endpoint's host`;
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || error.message.includes(':wrong version number:'))
    return 'does not speak TLS: its endpoint begins with http';
  if (
    /_ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_\w+|HANDSHAKE_FAILURE)$/.test(code)
  )
    return config['client-cert'] === undefined
      ? 'requires a client certificate: client-cert and client-key'
      : 'does not accept the client certificate';
  return undefined;
}
