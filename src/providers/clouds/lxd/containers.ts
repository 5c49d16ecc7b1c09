/**
 * Addresses of the model's network for containers on its instances (docs/decisions/0005). Each address is held by an
 * instance that is never started and whose NIC has it, so that LXD assigns it to nothing else. LXD would refuse a
 * second NIC of the host on the same network.
 */
import { networkOf } from '../../../core/cidr.ts';
import type { Address } from '../../../core/machine/document.ts';
import type { MachineNetworks } from '../../../core/network/machine-networks.ts';
import { hostOf } from '../../../core/names.ts';
import { ProviderError, tagKeys, type Environ, type OpenParams } from '../../contract/provider.ts';
import { chooseNetworks, type CloudNetwork } from '../../toolkit/choose-networks.ts';
import { answered, findOurs, instancePath, type Devices, type InstanceSettings } from './change-instance.ts';
import { LxdError } from './client.ts';
import { containerTypes } from './config.ts';
import type { LxdContext } from './context.ts';
import { isAbsent, isTaken } from './errors.ts';
import { freeAddresses, subnetOf } from './free-addresses.ts';
import { networkNames, networkPath, type LxdNetwork } from './model-networks.ts';
import { instanceName, isOwned, tagsToConfig } from './names.ts';
import { defined } from '../../../core/defined.ts';

/** Key of the held address. */
const holdsKey = 'user.grigri-holds';
/** Maximum number of attempts: another controller, or a lease, may take an address that was free a moment ago. */
const attempts = 20;

/** Tells by its configuration whether an instance only holds the address of a container. */
export function isHolder(config: Readonly<Record<string, string>>): boolean {
  return holdsKey in config;
}

export function createLxdContainers(context: LxdContext): Required<NonNullable<Environ['containers']>> {
  const { client, open, locks } = context;
  /**
   * Runs the work under a lock, which prevents two callers from choosing the same address. One lock per LXD keeps a
   * hanging LXD from blocking others.
   */
  const lock = <T>(work: () => Promise<T>): Promise<T> =>
    locks(`addresses of containers ${open.cloud.endpoint}`, work);

  return {
    types: containerTypes,
    takeAddress: (machineId, signal, networks) =>
      answered(lock(() => take(context, { machineId, networks }, signal))),
    async releaseAddresses(machineIds, signal) {
      for (const name of new Set(machineIds.map((id) => instanceName(open.modelUuid, id))))
        await answered(
          lock(async () => {
            const found = await client.find<InstanceSettings>(instancePath(name), signal);
            if (found && isOwned(found.config, open) && isHolder(found.config))
              await remove(context, name, signal);
          }),
        );
    },
  };
}

interface Wanted {
  readonly machineId: string;
  /** Networks of a new container; absent for an existing one, which stays where it is. */
  readonly networks?: MachineNetworks | undefined;
}

async function take(context: LxdContext, wanted: Wanted, signal: AbortSignal): Promise<Address> {
  const { machineId } = wanted;
  const { client, open } = context;
  const name = instanceName(open.modelUuid, machineId);
  const host = await findOurs(context, instanceName(open.modelUuid, hostOf(machineId)), signal);
  const existing = await client.find<InstanceSettings>(instancePath(name), signal);
  const heldAddress = existing && (isOwned(existing.config, open) ? existing.config[holdsKey] : undefined);
  const heldOn = heldAddress === undefined ? undefined : existing!.devices['eth0']?.['network'];
  const network = await bridgeOf(context, host, { ...wanted, heldOn }, signal);
  if (heldAddress !== undefined && heldOn === network.name) return addressIn(network, heldAddress);
  // The holder belongs to a host that was on another network; any other instance with the name must not be removed.
  if (heldAddress !== undefined) await remove(context, name, signal);
  let tries = 0;
  for (const value of freeAddresses(network.config, await takenOn(context, network, signal))) {
    try {
      await client.request(
        { ...holder(open, { name, machineId, address: value, network: network.name, host }), uncut: true },
        signal,
      );
      return addressIn(network, value);
    } catch (error) {
      // The request of a controller that was killed had succeeded after all: the next attempt finds the holder.
      if (isTaken(error) && (await client.find(instancePath(name), signal)))
        throw new ProviderError('transient', `LXD is making ${name} already`, { cause: error });
      if (!isConflict(error) || ++tries === attempts) throw error;
    }
  }
  throw new ProviderError(
    'quota',
    `the network ${network.name} has no free address for container ${machineId}`,
  );
}

/**
 * Returns the managed network of the container's host that serves the requested spaces, otherwise the network on which
 * its address is held, otherwise the first. Errors: ProviderError `bad request`.
 */
async function bridgeOf(
  { client }: LxdContext,
  { expanded_devices }: InstanceSettings,
  { machineId, networks: wanted, heldOn }: Wanted & { readonly heldOn: string | undefined },
  signal: AbortSignal,
): Promise<LxdNetwork> {
  const bridges: (CloudNetwork & { readonly bridge: LxdNetwork })[] = [];
  for (const name of networkNames(expanded_devices)) {
    const bridge = await client.find<LxdNetwork>(networkPath(name), signal);
    if (!bridge?.managed || !bridge.config['ipv4.address']?.includes('/')) continue;
    // A container has addresses of IPv4 alone.
    bridges.push({ name, bridge, subnets: [networkOf(bridge.config['ipv4.address']) ?? ''] });
  }
  if (bridges.length === 0)
    throw new ProviderError(
      'bad request',
      `container ${machineId} can have no address: its machine is on no bridge that LXD manages and gives IPv4 addresses on`,
    );
  if (!wanted) return (bridges.find(({ name }) => name === heldOn) ?? bridges[0]!).bridge;
  const chosen = chooseNetworks(`machine ${hostOf(machineId)}`, wanted, bridges);
  if (chosen.length > 1)
    throw new ProviderError(
      'bad request',
      `a container is on one network only, not on ${chosen.map(({ name }) => name).join(', ')}`,
    );
  return chosen[0]!.bridge;
}

/** Lists the addresses taken on the network, by DHCP or statically, in all projects. */
async function takenOn(
  { client }: LxdContext,
  network: LxdNetwork,
  signal: AbortSignal,
): Promise<Set<string>> {
  const projects = network.used_by.map((url) => new URL(url, 'http://lxd').searchParams.get('project') ?? '');
  const taken = new Set<string>();
  for (const project of new Set(['', ...projects])) {
    const query = project === '' ? {} : { query: { project } };
    const path = `${networkPath(network.name)}/leases`;
    const leases = await client.request<{ address: string }[]>({ method: 'GET', path, ...query }, signal);
    for (const { address } of leases) taken.add(address);
  }
  return taken;
}

async function remove({ client }: LxdContext, name: string, signal: AbortSignal): Promise<void> {
  const request = { method: 'DELETE', path: instancePath(name) } as const;
  await client.request<void>(request, signal).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

function holder(
  open: OpenParams,
  {
    name,
    machineId,
    address,
    network,
    host,
  }: {
    readonly name: string;
    readonly machineId: string;
    readonly address: string;
    readonly network: string;
    readonly host: InstanceSettings;
  },
): { method: 'POST'; path: string; query: Record<string, string>; body: object } {
  return {
    method: 'POST',
    path: '/1.0/instances',
    query: host.location === '' || host.location === 'none' ? {} : { target: host.location },
    body: {
      name,
      type: 'container',
      description: `holds the address of container ${machineId}, which is inside ${host.name}; not to be started`,
      source: { type: 'none' },
      profiles: [],
      config: {
        'boot.autostart': 'false',
        [holdsKey]: address,
        ...tagsToConfig({
          [tagKeys.model]: open.modelUuid,
          [tagKeys.controller]: open.controllerUuid,
          [tagKeys.machine]: machineId,
        }),
      },
      devices: {
        root: rootLike(host.expanded_devices),
        eth0: { type: 'nic', network, 'ipv4.address': address },
      },
    },
  };
}

function addressIn({ config }: LxdNetwork, value: string): Address {
  return { value, type: 'ipv4', scope: 'local-cloud', cidr: subnetOf(config['ipv4.address'] ?? '') };
}

/** Returns an empty root disk on the pool of the host's. */
function rootLike(devices: Devices): Readonly<Record<string, string>> {
  const pool = Object.values(devices).find(({ type, path }) => type === 'disk' && path === '/')?.['pool'];
  return { type: 'disk', path: '/', ...defined({ pool }) };
}

function isConflict(error: unknown): boolean {
  return error instanceof LxdError && /already (defined|used|in use|allocated)/i.test(error.message);
}
