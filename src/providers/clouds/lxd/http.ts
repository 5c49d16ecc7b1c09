/** HTTP exchange with an LXD, over its socket or over https with certificates of both sides. */
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Agent, Dispatcher } from 'undici';
import type { CloudSpec } from '../../contract/provider.ts';
import { LxdError, type LxdRequest } from './client.ts';
import { parseEndpoint, type Endpoint } from './endpoint.ts';
import { fingerprint } from './pem.ts';
import { defined } from '../../../core/defined.ts';

interface HttpRequest {
  readonly method: LxdRequest['method'];
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time limit in milliseconds for the beginning of the answer and between two parts of it. */
  readonly timeoutMs: number;
}
export type HttpAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

const connectMs = 10_000;

/** Creates the transport. The first request connects and loads undici; idle connections keep no process alive. */
export function createHttp(
  spec: CloudSpec,
): (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer> {
  let dispatcher: Promise<{ agent: Agent; request: typeof import('undici').request }> | undefined;
  const load = async (endpoint: Endpoint) => {
    // A bundled undici has its exports in the default export only.
    const { Agent, buildConnector, request } = (await import('undici')).default;
    const connect =
      'socket' in endpoint
        ? { socketPath: endpoint.socket, timeout: connectMs }
        : overTls(spec, buildConnector);
    return { agent: new Agent({ connect, allowH2: false }), request };
  };
  return async ({ method, path, query, headers, body, timeoutMs }, signal) => {
    const endpoint = parseEndpoint(spec.endpoint);
    const { agent, request } = await (dispatcher ??= load(endpoint));
    signal.throwIfAborted();
    try {
      return await request(`${'origin' in endpoint ? endpoint.origin : 'http://lxd'}${path}`, {
        dispatcher: agent,
        method,
        query,
        headers: headers ?? {},
        ...defined({ body }),
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw unreachable(endpoint, error as NodeJS.ErrnoException);
    }
  };
}

/** Returns the text of the answer. Errors: LxdError when the connection breaks. */
export async function textOf({ body }: HttpAnswer, signal: AbortSignal): Promise<string> {
  try {
    return await body.text();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new LxdError(0, `LXD's answer broke off: ${(error as Error).message}`, { cause: error });
  }
}

class WrongCertificate extends Error {}

function overTls(
  { credential, caCertificates, skipTlsVerify }: CloudSpec,
  buildConnector: typeof import('undici').buildConnector,
): import('undici').buildConnector.connector {
  const { 'client-cert': cert, 'client-key': key, 'server-cert': pinned } = credential?.attributes ?? {};
  if (cert || key) checkPair(cert, key);
  const connect = buildConnector({
    timeout: connectMs,
    allowH2: false,
    // A resumed TLS session would not show the server's certificate.
    maxCachedSessions: 0,
    ...(cert && key ? { cert, key } : {}),
    ...defined({ ca: caCertificates?.length ? [...caCertificates] : undefined }),
    // A pinned certificate is compared itself, since LXD's are self-signed for outdated host names.
    rejectUnauthorized: !pinned && !skipTlsVerify,
  });
  if (!pinned) return connect;
  return (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result;
      const shown = error ? undefined : (socket as TLSSocket).getPeerX509Certificate();
      if (error || (shown && fingerprint(shown) === fingerprint(pinned))) return callback(...result);
      socket.destroy();
      callback(new WrongCertificate(shown ? fingerprint(shown) : 'none'), null);
    });
}

/** Checks that the key belongs to the certificate. Errors: LxdError `access`. */
function checkPair(cert = '', key = ''): void {
  try {
    if (cert === '' || key === '') throw new Error('one of them is missing');
    createSecureContext({ cert, key });
  } catch (error) {
    throw new LxdError(
      0,
      `the credential's client-cert and client-key are not a certificate (PEM) with its key: ${(error as Error).message}`,
      { cause: error, failure: 'access' },
    );
  }
}

function unreachable(endpoint: Endpoint, error: NodeJS.ErrnoException): LxdError {
  const address = 'socket' in endpoint ? endpoint.socket : endpoint.origin;
  const access = (message: string): LxdError => new LxdError(0, message, { cause: error, failure: 'access' });
  if (error instanceof WrongCertificate)
    return access(
      `the server at ${address} shows another certificate (SHA-256 ${error.message}) than the credential's server-cert: ` +
        'if its certificate was replaced, update the credential with the new one; if not, another server answers at this address',
    );
  const { code = '' } = error;
  if (code === 'EACCES' || code === 'EPERM')
    return access(`no permission to use ${address}: only root and the members of its group (lxd) may`);
  if (untrusted.has(code))
    return access(
      `the certificate of ${address} is not trusted (${error.message}): add it to the credential as server-cert`,
    );
  if (/alert (bad certificate|certificate (required|unknown|expired|revoked)|unknown ca)/.test(error.message))
    return access(`${address} does not accept the client certificate: ${error.message}`);
  if (code === 'ENOENT')
    return new LxdError(0, `no LXD on this host: ${address} does not exist`, { cause: error });
  if (code === 'ECONNREFUSED')
    return new LxdError(0, `no LXD listens at ${address}: is it running?`, { cause: error });
  if (/TIMEOUT/.test(code))
    return new LxdError(0, `LXD at ${address} does not answer (${error.message})`, { cause: error });
  return new LxdError(0, `LXD at ${address}: ${error.message || code}`, { cause: error });
}

/** Error codes of Node for certificates that cannot be verified (tls.md, X509 certificate error codes). */
const untrusted = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
