/**
 * A container's way to its model's network: a cable to the machine that it is on, which answers for it on the model's
 * bridge and forwards. So its address is one of the model's, and the machine's firewall is its own too.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isAbsent } from '../../toolkit/json-file.ts';
import { containerCables } from '../../toolkit/nft-rules.ts';
import { ProviderError, type StartParams } from '../../contract/provider.ts';
import { attach, detach, unlessGone, type MachineNetwork } from './network.ts';
import type { Place } from './record.ts';
import { run } from './run.ts';
import { addressOf, gatewayOf, subnetOf } from './subnets.ts';
import type { Wiring } from './wiring.ts';

/**
 * Within a machine: the controller has given the address, here is the way to it. `uplink`: the machine's own interface
 * on the model's network.
 */
export function nestedWiring(uplink: string): Wiring {
  return {
    networkOf: (record) => (record.cidr === undefined ? undefined : networkOf(record.machineId, record.cidr)),
    take: (_id, params) => Promise.resolve({ cidr: cidrOf(params) }),
    find: ({ machineId }) => find(machineId),
    async connect(record, network, params) {
      const cidr = cidrOf(params);
      // The model's subnet may be another since the host was started anew.
      if (record.cidr !== undefined && record.cidr !== cidr) await disconnect(network, uplink, record.cidr);
      const current = networkOf(record.machineId, cidr);
      await attach(current, { cidr, gateway: gatewayOf(subnetOf(cidr)) });
      await answerFor(current.hostInterface, uplink, addressOf(cidr));
      return cidr;
    },
    disconnect: (network, record) => disconnect(network, uplink, record.cidr),
    // The controller gives the addresses, and takes them back.
    release: () => Promise.resolve(),
  };
}

/** Names within the machine, which has a network of its own: they need not be unique on the host. */
function networkOf(machineId: string, cidr: string): MachineNetwork {
  return {
    ...netnsOf(machineId),
    hostInterface: containerCables.replace('*', hexOf(addressOf(cidr))),
  };
}

function netnsOf(machineId: string): Pick<MachineNetwork, 'netns' | 'netnsPath'> {
  const netns = `container-${machineId.replaceAll('/', '-')}`;
  return { netns, netnsPath: `/run/netns/${netns}` };
}

/** The address is what names the rest, and it is where the container has it. */
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

/** Errors: ProviderError `bad request`. */
function cidrOf({ machineId, address }: StartParams): string {
  if (!address?.cidr) {
    throw new ProviderError('bad request', `container ${machineId} got no address of its model's network`);
  }
  return `${address.value}${address.cidr.slice(address.cidr.indexOf('/'))}`;
}

/** Proxy ARP in both directions: on the cable for all that is beyond it, on the uplink for this container only. */
async function answerFor(cable: string, uplink: string, address: string): Promise<void> {
  const settings = {
    'ipv4/ip_forward': '1',
    [`ipv4/conf/${cable}/proxy_arp`]: '1',
    // Else an answer waits for up to 0.8 s, in case that somebody else has one.
    [`ipv4/neigh/${cable}/proxy_delay`]: '0',
    [`ipv4/neigh/${uplink}/proxy_delay`]: '0',
  };
  for (const [name, value] of Object.entries(settings))
    await writeFile(`/proc/sys/net/${name}`, value).catch(unlessHidden(name));
  await run(['ip', 'route', 'replace', `${address}/32`, 'dev', cable]);
  await run(['ip', 'neigh', 'replace', 'proxy', address, 'dev', uplink]);
}

/** Older kernels show neighbours' settings to the host's own root only: then the first answer comes up to 0.8 s late. */
function unlessHidden(name: string): (error: unknown) => void {
  return (error) => {
    if (!(isAbsent(error) && name.includes('/neigh/'))) throw error;
  };
}

async function disconnect(network: MachineNetwork, uplink: string, cidr: string | undefined): Promise<void> {
  if (cidr) await unlessGone(run(['ip', 'neigh', 'delete', 'proxy', addressOf(cidr), 'dev', uplink]));
  await detach(network);
}

/** The interface that the machine's default route leads through. */
export async function findUplink(): Promise<string> {
  const routes = JSON.parse(await run(['ip', '-j', '-4', 'route', 'show', 'default'])) as { dev: string }[];
  const [first] = routes;
  if (!first) throw new ProviderError('transient', 'the machine has no way out of itself yet');
  return first.dev;
}
