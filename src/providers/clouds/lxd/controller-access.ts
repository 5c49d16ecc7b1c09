/**
 * Access of a controller on an instance to the LXD that made it: by https, with a certificate of its own. Changes of
 * the server's configuration are recorded on the server, so that any destroyer of the controller can undo them.
 */
import { ProviderError, type CloudSpec } from '../../contract/provider.ts';
import { LxdError, type LxdClient } from './client.ts';
import { HttpLxdClient, type LxdClientOptions } from './connect.ts';
import { isLocal } from './endpoint.ts';
import { classified } from './errors.ts';
import { derOf } from './pem.ts';
import type { DefaultProfile } from './request-body.ts';

interface AccessParams {
  readonly controllerUuid: string;
  readonly signal: AbortSignal;
}
interface Server {
  /** Null when the credential may not read the configuration. */
  readonly config: Readonly<Record<string, string>> | null;
  readonly environment: { readonly certificate: string };
}
interface Certificate {
  readonly name: string;
  readonly fingerprint: string;
}
interface NetworkState {
  readonly addresses: readonly {
    readonly family: string;
    readonly address: string;
    readonly scope: string;
  }[];
}

const port = 8443;
const addressKey = 'core.https_address';
/** Prefix of the keys that record, per controller, the address that LXD was made to listen at. */
const markPrefix = 'user.grigri-https-';

function certificateName(controllerUuid: string): string {
  return `grigri-controller-${controllerUuid}`;
}

/** Sets up the access. Idempotent: a later call's certificate replaces the earlier one's. Errors: ProviderError. */
export function accessForController(
  cloud: CloudSpec,
  { controllerUuid, signal, ...options }: AccessParams & LxdClientOptions,
): Promise<CloudSpec> {
  // A remote endpoint is used unchanged, with the certificate of the credential.
  if (!isLocal(cloud.endpoint)) return Promise.resolve(cloud);
  const client = new HttpLxdClient(cloud, options);
  const make = async (): Promise<CloudSpec> => {
    const server = await client.request<Server>({ method: 'GET', path: '/1.0' }, signal);
    const endpoint = await listen(client, server, controllerUuid, signal);
    const name = certificateName(controllerUuid);
    const { createClientCertificate } = await import('./certificates.ts');
    const certificate = await createClientCertificate({ name, now: options.clock.now() });
    await removeCertificate(client, controllerUuid, signal);
    const body = { type: 'client', name, certificate: derOf(certificate.certificate) };
    await client.request({ method: 'POST', path: '/1.0/certificates', body }, signal);
    const attributes = {
      'client-cert': certificate.certificate,
      'client-key': certificate.key,
      'server-cert': server.environment.certificate,
    };
    return { ...cloud, endpoint, credential: { authType: 'certificate', attributes } };
  };
  return classified(make(), 'LXD cannot be opened for the controller');
}

/**
 * Removes the access. Idempotent, also after no or a partial setup. A credential that may not change the server has
 * changed nothing there. Errors: LxdError.
 */
export async function removeAccess(
  client: LxdClient,
  controllerUuid: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await takeBack(client, controllerUuid, signal);
  } catch (error) {
    if (!(error instanceof LxdError) || error.status !== 403) throw error;
  }
}

async function takeBack(client: LxdClient, controllerUuid: string, signal: AbortSignal): Promise<void> {
  await removeCertificate(client, controllerUuid, signal);
  const { config } = await client.request<Server>({ method: 'GET', path: '/1.0' }, signal);
  const mark = markPrefix + controllerUuid;
  const address = config?.[mark];
  if (!config || address === undefined) return;
  const others = Object.keys(config).some((key) => key.startsWith(markPrefix) && key !== mark);
  const isOurs = !others && config[addressKey] === address;
  await patch(client, { [mark]: '', ...(isOurs ? { [addressKey]: '' } : {}) }, signal);
}

/** Makes LXD listen where it does not yet, and returns the address that instances on its default network reach. */
async function listen(
  client: LxdClient,
  { config }: Server,
  controllerUuid: string,
  signal: AbortSignal,
): Promise<string> {
  const current = config?.[addressKey] ?? '';
  const others = Object.entries(config ?? {}).find(([key]) => key.startsWith(markPrefix));
  if (current !== '') {
    // Another controller made LXD listen: the address must stay as long as either controller needs it.
    if (others) await patch(client, { [markPrefix + controllerUuid]: others[1] }, signal);
    const { host, port: currentPort } = parts(current);
    return `https://${host === '' ? await bridgeAddress(client, signal) : host}:${currentPort}`;
  }
  const address = `${await bridgeAddress(client, signal)}:${port}`;
  await patch(client, { [addressKey]: address, [markPrefix + controllerUuid]: address }, signal);
  return `https://${address}`;
}

/** Splits an address; an empty host means all interfaces. */
function parts(address: string): { readonly host: string; readonly port: string } {
  const [, host = '', own = String(port)] =
    /^(.*?)(?::(\d+))?$/.exec(
      address.startsWith('[') && address.endsWith(']') ? `${address}:${port}` : address,
    ) ?? [];
  return { host: ['0.0.0.0', '[::]', '::'].includes(host) ? '' : host, port: own };
}

async function bridgeAddress(client: LxdClient, signal: AbortSignal): Promise<string> {
  const { devices } = await client.request<DefaultProfile>(
    { method: 'GET', path: '/1.0/profiles/default' },
    signal,
  );
  const nic = Object.values(devices).find(({ type }) => type === 'nic');
  const network = nic?.['network'] ?? nic?.['parent'];
  const state = network
    ? await client.find<NetworkState>(`/1.0/networks/${encodeURIComponent(network)}/state`, signal)
    : undefined;
  const global = state?.addresses.filter(({ scope }) => scope === 'global') ?? [];
  const address = global.find(({ family }) => family === 'inet') ?? global[0];
  if (!address)
    throw new ProviderError(
      'bad request',
      `LXD listens on no address, and its network ${network ?? ''} has none on this host: set one that instances reach, 'lxc config set core.https_address <address>:${port}'`,
    );
  return address.family === 'inet6' ? `[${address.address}]` : address.address;
}

async function patch(
  client: LxdClient,
  config: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  await client.request({ method: 'PATCH', path: '/1.0', body: { config } }, signal);
}

async function removeCertificate(
  client: LxdClient,
  controllerUuid: string,
  signal: AbortSignal,
): Promise<void> {
  const known = await client.request<readonly Certificate[]>(
    { method: 'GET', path: '/1.0/certificates', query: { recursion: '1' } },
    signal,
  );
  const name = certificateName(controllerUuid);
  for (const { fingerprint } of known.filter((certificate) => certificate.name === name)) {
    await client.request({ method: 'DELETE', path: `/1.0/certificates/${fingerprint}` }, signal);
  }
}
