/** Networks of an instance for its firewall: the subnets of the model and the host's address in them. */
import type { ModelSubnet } from '../../toolkit/nft-rules.ts';
import type { LxdClient } from './client.ts';
import { instancePath, type Devices, type InstanceSettings } from './change-instance.ts';

export interface LxdNetwork {
  readonly name: string;
  /** Type: `bridge`, `ovn`, `macvlan`, `physical`… */
  readonly type: string;
  readonly managed: boolean;
  readonly config: Readonly<Record<string, string>>;
  /** Users of the network: `/1.0/instances/x?project=p`. */
  readonly used_by: readonly string[];
}
interface NetworkState {
  readonly addresses?: readonly { address: string; netmask: string; scope: string }[] | null;
}

/** Returns the network, or unmanaged bridge of the host, of each NIC. */
export function networkNames(devices: Devices): string[] {
  const names = Object.values(devices)
    .filter(({ type }) => type === 'nic')
    .map(({ network, parent }) => network ?? parent)
    .filter((name) => name !== undefined);
  return [...new Set(names)];
}

export function networkPath(name: string): string {
  return `/1.0/networks/${encodeURIComponent(name)}`;
}

/** Returns the subnets of an instance's networks. Errors: LxdError. */
export async function subnetsOf(
  client: LxdClient,
  instance: Pick<InstanceSettings, 'name' | 'expanded_devices' | 'status'>,
  signal: AbortSignal,
): Promise<ModelSubnet[]> {
  const found: ModelSubnet[] = [];
  for (const name of networkNames(instance.expanded_devices)) {
    const network = await client.find<LxdNetwork>(networkPath(name), signal);
    if (network) found.push(...(await bridgeSubnets(client, network, signal)));
  }
  return found.length > 0 || instance.status !== 'Running'
    ? found
    : ownSubnets(client, instance.name, signal);
}

/**
 * Returns a bridge's subnets, from the network's configuration when it is managed, else from the bridge's addresses.
 */
export async function bridgeSubnets(
  client: LxdClient,
  { name, type, managed, config }: LxdNetwork,
  signal: AbortSignal,
): Promise<ModelSubnet[]> {
  if (managed)
    return [config['ipv4.address'], config['ipv6.address']]
      .filter((cidr) => cidr?.includes('/') === true)
      .map((cidr) => ({ subnet: cidr!, gateway: cidr!.slice(0, cidr!.indexOf('/')) }));
  if (type !== 'bridge') return [];
  const state = await client.find<NetworkState>(`${networkPath(name)}/state`, signal);
  return globalOnes(state).map(({ address, netmask }) => ({
    subnet: `${address}/${netmask}`,
    gateway: address,
  }));
}

/** Returns the subnets of the instance's own addresses, for networks without the host (macvlan). */
async function ownSubnets(client: LxdClient, name: string, signal: AbortSignal): Promise<ModelSubnet[]> {
  const state = await client.find<{ network?: Readonly<Record<string, NetworkState>> | null }>(
    `${instancePath(name)}/state`,
    signal,
  );
  return Object.entries(state?.network ?? {})
    .filter(([interfaceName]) => interfaceName !== 'lo')
    .flatMap(([, one]) => globalOnes(one))
    .map(({ address, netmask }) => ({ subnet: `${address}/${netmask}` }));
}

function globalOnes(state: NetworkState | undefined): { address: string; netmask: string }[] {
  return (state?.addresses ?? []).filter(({ scope }) => scope === 'global');
}
