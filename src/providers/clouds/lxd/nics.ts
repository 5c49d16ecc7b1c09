/** Network cards of an instance, by the spaces that its machine needs (networks.md#networks-of-machines). */
import { createHash } from 'node:crypto';
import { networkOf } from '../../../core/cidr.ts';
import type { StartParams } from '../../contract/provider.ts';
import type { Devices } from './change-instance.ts';
import { chooseNetworks, type CloudNetwork } from '../../toolkit/choose-networks.ts';
import type { LxdClient } from './client.ts';
import { bridgeSubnets, networkNames, type LxdNetwork } from './model-networks.ts';
import { isVirtualMachine, type DefaultProfile } from './request-body.ts';

/** Returns LXD's own networks, and those that its default profile puts instances on, with their subnets. */
export async function listNetworks(client: LxdClient, signal: AbortSignal): Promise<CloudNetwork[]> {
  const all = await client.request<readonly LxdNetwork[]>(
    { method: 'GET', path: '/1.0/networks', query: { recursion: '1' } },
    signal,
  );
  const used = new Set(networkNames(await profileDevices(client, signal)));
  const usable = all.filter(({ name, managed }) => managed || used.has(name));
  const known: CloudNetwork[] = [];
  for (const network of usable) {
    const subnets = (await bridgeSubnets(client, network, signal)).flatMap(
      ({ subnet }) => networkOf(subnet) ?? [],
    );
    if (subnets.length > 0) known.push({ name: network.name, subnets });
  }
  return known.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns the devices that put an instance on a network of each space, and on none that is excluded; {} when it may be
 * anywhere. A NIC of the default profile stays when it serves a space. NICs of a virtual machine, whose kernel names
 * cards by their slots, get MAC addresses by which its first boot finds them. Errors: ProviderError `bad request` when
 * LXD has no such network.
 */
export async function nicsOf(
  client: LxdClient,
  { networks: wanted, constraints, nonce }: Pick<StartParams, 'networks' | 'constraints' | 'nonce'>,
  signal: AbortSignal,
): Promise<Devices> {
  if (!wanted) return {};
  const devices = Object.entries(await profileDevices(client, signal));
  const nics = devices.filter(([, { type }]) => type === 'nic');
  const known = await listNetworks(client, signal);
  const own = new Set(nics.map(([, nic]) => networkOfNic(nic)));
  const preferred = known.filter(({ name }) => own.has(name));
  const others = known.filter(({ name }) => !own.has(name));
  const chosen = chooseNetworks('LXD', wanted, [...preferred, ...others]);
  const kept = nics.filter(([, nic]) => chosen.some(({ name }) => name === networkOfNic(nic)));
  const added = chosen.filter(({ name }) => !own.has(name));
  const cards = named(kept, added);
  return { ...hidden(nics), ...(isVirtualMachine(constraints) ? withMacs(cards, nonce) : cards) };
}

function hidden(nics: readonly Nic[]): Devices {
  return Object.fromEntries(nics.map(([device]) => [device, { type: 'none' }]));
}

/** Returns the kept NICs with their names, and NICs of the added networks with free names. */
function named(kept: readonly Nic[], added: readonly CloudNetwork[]): Devices {
  const keptNics = kept.map(([device, nic]) => [device, { ...nic, name: nic['name'] ?? device }] as const);
  const taken = new Set(keptNics.flatMap(([device, { name }]) => [device, name]));
  const names = Array.from({ length: taken.size + added.length }, (_, n) => `eth${n}`);
  const free = names.filter((name) => !taken.has(name));
  const addedNics = added.map(({ name: network }, n) => [free[n]!, { type: 'nic', network, name: free[n]! }]);
  return { ...Object.fromEntries(keptNics), ...Object.fromEntries(addedNics) } as Devices;
}

/** Adds MAC addresses, the same when a start is repeated. */
function withMacs(cards: Devices, nonce: string): Devices {
  return Object.fromEntries(
    Object.entries(cards).map(([device, card]) => {
      const digest = createHash('sha256').update(`${nonce} ${device}`).digest('hex');
      const hwaddr = ['00', '16', '3e', ...digest.slice(0, 6).match(/../g)!].join(':');
      return [device, { hwaddr, ...card }];
    }),
  );
}

type Nic = readonly [device: string, settings: Devices[string]];

function networkOfNic({ network, parent }: Devices[string]): string | undefined {
  return network ?? parent;
}

async function profileDevices(client: LxdClient, signal: AbortSignal): Promise<Devices> {
  const profile = await client.find<DefaultProfile>('/1.0/profiles/default', signal);
  return profile?.devices ?? {};
}
