/** Converts the secret that a user enters, a trust token or password, into a certificate that the server trusts. */
import { connect } from 'node:tls';
import type { Clock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import { ProviderError, type CloudSpec, type Credential } from '../../contract/provider.ts';
import { LxdError } from './client.ts';
import { HttpLxdClient } from './connect.ts';
import { isLocal, parseEndpoint } from './endpoint.ts';
import { derOf, fingerprint } from './pem.ts';
import { defined } from '../../../core/defined.ts';

interface FinalizeParams {
  readonly label: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Decoded trust token: `lxc config trust add` prints its base64. */
interface TrustToken {
  readonly client_name: string;
  /** SHA-256 of the server's certificate, hexadecimal. */
  readonly fingerprint: string;
  /** Server addresses as `host:port`. */
  readonly addresses: readonly string[];
  readonly secret: string;
}

/** Creates a client certificate and registers it with the server. Errors: ProviderError `credential`. */
export async function finalizeCredential(
  cloud: CloudSpec & { readonly credential: Credential },
  params: FinalizeParams,
): Promise<Credential> {
  const { credential } = cloud;
  if (credential.authType === 'empty' && !isLocal(cloud.endpoint))
    throw refused('LXD over https requires a certificate: use auth type certificate or interactive');
  if (credential.authType === 'certificate') return await withServerCertificate(cloud, params);
  if (credential.authType !== 'interactive') return credential;
  if (isLocal(cloud.endpoint))
    throw refused('the LXD of this host needs no credential: it is reached by its unix socket');
  const { 'trust-token': tokenText = '', 'trust-password': password = '' } = credential.attributes;
  if (tokenText === '' && password === '')
    throw refused(
      "give a trust-token: 'lxc config trust add' on the server prints one (or a trust-password)",
    );
  const token = tokenText === '' ? undefined : parseToken(tokenText);
  const { endpoint } = cloud;
  const server = await serverCertificate(cloud, params.signal);
  if (token && fingerprint(server) !== token.fingerprint.toLowerCase())
    throw refused(
      `the server at ${endpoint} does not have the certificate that the trust token is for: its SHA-256 is ${fingerprint(server)}, the token's ${token.fingerprint}`,
    );
  const { createClientCertificate } = await import('./certificates.ts');
  const certificate = await createClientCertificate({
    name: params.label || 'grigri',
    now: params.clock.now(),
  });
  const attributes = {
    'client-cert': certificate.certificate,
    'client-key': certificate.key,
    'server-cert': server,
  };
  const certificateCredential: Credential = { authType: 'certificate', attributes };
  const client = new HttpLxdClient(
    { ...cloud, credential: certificateCredential },
    { clock: params.clock, log: silentLog },
  );
  const secret = tokenText === '' ? password : tokenText.trim();
  const body = {
    type: 'client',
    name: `grigri ${params.label}`.trim(),
    certificate: derOf(certificate.certificate),
    // The LXD version determines which of the two members the server reads.
    password: secret,
    ...defined({ trust_token: token ? secret : undefined }),
  };
  try {
    await client.request({ method: 'POST', path: '/1.0/certificates', body }, params.signal);
  } catch (error) {
    throw refusedBy(error, token ? 'the trust token' : 'the trust password');
  }
  return certificateCredential;
}

/** Adds the server's certificate, which is pinned at first use when none is given. */
async function withServerCertificate(
  cloud: CloudSpec & { readonly credential: Credential },
  { signal }: FinalizeParams,
): Promise<Credential> {
  const { credential } = cloud;
  if (credential.attributes['server-cert'] || isLocal(cloud.endpoint) || cloud.caCertificates?.length)
    return credential;
  return {
    ...credential,
    attributes: { ...credential.attributes, 'server-cert': await serverCertificate(cloud, signal) },
  };
}

/** Fetches the server's certificate as PEM, without sending any credential. */
async function serverCertificate({ endpoint }: CloudSpec, signal: AbortSignal): Promise<string> {
  const where = parseEndpoint(endpoint);
  if ('socket' in where) throw refused(`${endpoint} is not an https endpoint`);
  const { hostname, port } = new URL(where.origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  signal.throwIfAborted();
  const socket = connect(
    { host, port: Number(port || 443), rejectUnauthorized: false, timeout: 10_000 },
    () => {
      const shown = socket.getPeerX509Certificate();
      if (shown) resolve(shown.toString());
      else reject(new Error('it shows no certificate'));
    },
  );
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  socket.on('error', reject);
  socket.on('timeout', () => reject(new Error('it does not answer')));
  try {
    return await promise;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ProviderError('transient', `no LXD at ${where.origin}: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

function parseToken(text: string): TrustToken {
  try {
    const token = JSON.parse(Buffer.from(text.trim(), 'base64').toString()) as Partial<TrustToken>;
    if (typeof token.fingerprint === 'string' && typeof token.secret === 'string') return token as TrustToken;
  } catch {
    // The error is thrown below.
  }
  throw refused("trust-token: not an LXD token; give the whole output of 'lxc config trust add'");
}

function refused(message: string): ProviderError {
  return new ProviderError('credential', message);
}

/** Wraps the error; its message never contains the secret. */
function refusedBy(error: unknown, subject: string): unknown {
  if (!(error instanceof LxdError)) return error;
  if (error.failure === 'none') return new ProviderError('transient', error.message, { cause: error });
  return new ProviderError(
    'credential',
    `LXD does not accept ${subject} (${error.message}): a token can be used once and expires; create another one with 'lxc config trust add'`,
    { cause: error },
  );
}
