/**
 * Connects a container to its model's network: a virtual cable leads to its machine, which answers ARP for the
 * container on the model's bridge and forwards. The container has an address of the model, and is covered by the
 * machine's firewall.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { networkOf } from '../../../core/cidr.ts';
import { isAbsent } from '../../toolkit/json-file.ts';
import { containerCables } from '../../toolkit/nft-rules.ts';
import { ProviderError, type StartParams } from '../../contract/provider.ts';
import { attach, detach, unlessGone, type MachineNetwork } from './network.ts';
import type { Place } from './record.ts';
import { run } from './run.ts';
import { addressOf, gatewayOf, subnetOf } from './subnets.ts';
import type { Wiring } from './wiring.ts';

/**
 * Returns the wiring of containers, used within a machine: the controller has assigned the address, and this sets up
 * the route.
 */
export function nestedWiring(): Wiring {
  return {
    networkOf: (record) => (record.cidr === undefined ? undefined : cablesOf(record.machineId, record.cidr)),
    take: (_id, params) => Promise.resolve({ cidr: cidrOf(params) }),
    find: ({ machineId }) => find(machineId),
    async connect(record, network, params) {
      const cidr = cidrOf(params);
      // The model's subnet may have changed at a restart of the host.
      if (record.cidr !== undefined && record.cidr !== cidr) await disconnect(network, record.cidr);
      const current = cablesOf(record.machineId, cidr);
      await attach(current, { cidr, gateway: gatewayOf(subnetOf(cidr)) });
      await answerFor(current.hostInterface, await findUplink(cidr), addressOf(cidr));
      return cidr;
    },
    disconnect: (network, record) => disconnect(network, record.cidr),
    // The controller assigns and releases the addresses.
    release: () => Promise.resolve(),
  };
}

/** Names inside the machine, which has a network namespace of its own: they need not be unique on the host. */
function cablesOf(machineId: string, cidr: string): MachineNetwork {
  return {
    ...netnsOf(machineId),
    hostInterface: containerCables.replace('*', hexOf(addressOf(cidr))),
  };
}

function netnsOf(machineId: string): Pick<MachineNetwork, 'netns' | 'netnsPath'> {
  const netns = `container-${machineId.replaceAll('/', '-')}`;
  return { netns, netnsPath: `/run/netns/${netns}` };
}

/** Finds the address inside the container, from which the other names derive. */
async function find(machineId: string): Promise<Place | undefined> {
  const { netns, netnsPath } = netnsOf(machineId);
  if (!existsSync(netnsPath)) return undefined;
  const text = await run(['ip', '-n', netns, '-j', '-4', 'addr', 'show', 'dev', 'eth0']);
  const [cable] = JSON.parse(text) as { addr_info: { local: string; prefixlen: number }[] }[];
  const address = cable?.addr_info[0];
  return address && { cidr: `${address.local}/${address.prefixlen}` };
}

function hexOf(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return bytes.join('');
}

/** Returns the address in CIDR form. Errors: ProviderError `bad request`. */
function cidrOf({ machineId, address }: StartParams): string {
  if (!address?.cidr) {
    throw new ProviderError('bad request', `container ${machineId} got no address of its model's network`);
  }
  return `${address.value}${address.cidr.slice(address.cidr.indexOf('/'))}`;
}

/**
 * Enables proxy ARP in both directions: on the cable for every address, on the uplink for this container only. What the
 * container sends goes out where its address belongs, not by the machine's default route.
 */
async function answerFor(cable: string, uplink: Uplink, address: string): Promise<void> {
  const settings = {
    'ipv4/ip_forward': '1',
    [`ipv4/conf/${cable}/proxy_arp`]: '1',
    // The default delays each answer by up to 0.8 s.
    [`ipv4/neigh/${cable}/proxy_delay`]: '0',
    [`ipv4/neigh/${uplink.device}/proxy_delay`]: '0',
  };
  for (const [name, value] of Object.entries(settings))
    await writeFile(`/proc/sys/net/${name}`, value).catch(unlessHidden(name));
  await run(['ip', 'route', 'replace', `${address}/32`, 'dev', cable]);
  await run(['ip', 'neigh', 'replace', 'proxy', address, 'dev', uplink.device]);
  await removeRules(address);
  if (uplink.gateway === undefined) return;
  const { device, gateway, table } = uplink;
  await run(['ip', 'route', 'replace', 'default', 'via', gateway, 'dev', device, 'table', table]);
  for (const lookup of [
    ['main', 'suppress_prefixlength', '0', 'pref', '100'],
    [table, 'pref', '101'],
  ])
    await run(['ip', 'rule', 'add', 'from', `${address}/32`, 'lookup', ...lookup]);
}

/** Removes the routing rules of an address, as many as there are. */
async function removeRules(address: string): Promise<void> {
  const rules = JSON.parse(await run(['ip', '-j', '-4', 'rule', 'show'])) as {
    src: string;
    priority: number;
  }[];
  for (const { src, priority } of rules)
    if (src === address)
      await unlessGone(run(['ip', 'rule', 'delete', 'from', `${address}/32`, 'pref', String(priority)]));
}

/**
 * Ignores a missing setting: older kernels show neighbour settings only to the host's own root, and the first answer
 * then comes up to 0.8 s late.
 */
function unlessHidden(name: string): (error: unknown) => void {
  return (error) => {
    if (!(isAbsent(error) && name.includes('/neigh/'))) throw error;
  };
}

async function disconnect(network: MachineNetwork, cidr: string | undefined): Promise<void> {
  if (cidr) {
    const address = addressOf(cidr);
    const { device } = await findUplink(cidr);
    await unlessGone(run(['ip', 'neigh', 'delete', 'proxy', address, 'dev', device]));
    await removeRules(address);
  }
  await detach(network);
}

/** The machine's interface on the network of a container. */
interface Uplink {
  readonly device: string;
  /** Gateway of that network; absent where the machine's default route leads there. */
  readonly gateway?: string;
  /** Number of the routing table for packets that come from the network. */
  readonly table: string;
}

/** Finds the interface in the subnet of the address, else that of the machine's default route. */
async function findUplink(cidr: string): Promise<Uplink> {
  const links = JSON.parse(await run(['ip', '-j', '-4', 'addr', 'show'])) as {
    ifindex: number;
    ifname: string;
    addr_info: { local: string; prefixlen: number }[];
  }[];
  const subnet = networkOf(cidr);
  const link = links.find(
    ({ ifname, addr_info }) =>
      !ifname.startsWith(containerCables.replace('*', '')) &&
      addr_info.some(({ local, prefixlen }) => networkOf(`${local}/${prefixlen}`) === subnet),
  );
  const routes = await defaultRoutes();
  const main = deviceOf(routes);
  const table = String(firstTable + (link?.ifindex ?? 0));
  if (!link || link.ifname === main) return { device: main, table };
  const own = routes.find(({ dev }) => dev === link.ifname);
  return { device: link.ifname, gateway: own?.gateway ?? gatewayOf(subnetOf(cidr)), table };
}

/** Number of the first routing table; the interface's own number is added. */
const firstTable = 7_000;

interface DefaultRoute {
  readonly dev: string;
  readonly gateway?: string;
}

async function defaultRoutes(): Promise<DefaultRoute[]> {
  return JSON.parse(await run(['ip', '-j', '-4', 'route', 'show', 'default'])) as DefaultRoute[];
}

function deviceOf([first]: readonly DefaultRoute[]): string {
  if (!first) throw new ProviderError('transient', 'the machine has no default route yet');
  return first.dev;
}

/** Checks that the machine has a default route. Errors: ProviderError `transient` when it has none. */
export async function checkDefaultRoute(): Promise<void> {
  deviceOf(await defaultRoutes());
}
