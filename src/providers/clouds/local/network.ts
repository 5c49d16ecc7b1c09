/**
 * Bridges, addresses and outgoing routes. Each model has one bridge and one /22, so that a machine's firewall
 * recognizes "a machine of the same model" by one comparison, however many machines there are.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { ProviderError } from '../../contract/provider.ts';
import { readModel, writeModel, type ModelRecord } from './record.ts';
import { CommandError, run } from './run.ts';
import { addressOf, candidateSubnets, gatewayOf, macFor } from './subnets.ts';

/** Names of one machine's kernel resources; interface names have at most 15 characters. */
export interface MachineNetwork {
  readonly netns: string;
  readonly netnsPath: string;
  /** Name of the host's end of the virtual cable. */
  readonly hostInterface: string;
}

const forwarding = '/proc/sys/net/ipv4/ip_forward';
/** Name of a marker, which a reboot clears, that forwarding was off before grigri turned it on. */
const forwardingMark = 'grigri_forwarding';

export function machineNetwork(modelUuid: string, machineId: string, slot: number): MachineNetwork {
  const model = modelUuid.replaceAll('-', '');
  const netns = `grigri-${model.slice(-12)}-${machineId.replaceAll('/', '-')}`;
  return {
    netns,
    netnsPath: `/run/netns/${netns}`,
    hostInterface: `gv${model.slice(-10)}${slot.toString(16).padStart(3, '0')}`,
  };
}

/** Returns the name of a model's bridge; `gri-*` matches all of them. */
export function bridgeName(modelUuid: string): string {
  return `gri-${modelUuid.replaceAll('-', '').slice(-11)}`;
}

/**
 * Creates the model's bridge and its outgoing route where missing, and returns the subnet. Idempotent; the subnet is
 * recorded before it is claimed, so that a crash leaves nothing that cannot be found.
 */
export async function ensureModelNetwork(folder: string, record: ModelRecord): Promise<string> {
  const bridge = bridgeName(record.modelUuid);
  const recordedSubnet = (await readModel(folder))?.subnet;
  if (recordedSubnet && existsSync(`/sys/class/net/${bridge}`) && (await ownsTable(recordedSubnet, bridge)))
    return recordedSubnet;
  const subnet = await claimSubnet(folder, record, recordedSubnet);
  const gateway = gatewayOf(subnet);
  await unlessThere(run(['ip', 'link', 'add', bridge, 'address', macFor(gateway), 'type', 'bridge']));
  await ipBatch([], [`addr replace ${gateway}/22 dev ${bridge}`, `link set ${bridge} addrgenmode none up`]);
  await ensureForwarding();
  return subnet;
}

/** Removes bridge and subnet; restores forwarding when this was the last model on the host. */
export async function removeModelNetwork(record: ModelRecord): Promise<void> {
  const bridge = bridgeName(record.modelUuid);
  if (existsSync(`/sys/class/net/${bridge}`)) await unlessGone(run(['ip', 'link', 'delete', bridge]));
  if (record.subnet && (await ownsTable(record.subnet, bridge))) {
    await unlessGone(run(['nft', 'delete', 'table', 'inet', tableName(record.subnet)]));
  }
  await restoreForwarding();
}

/**
 * Sets up a machine's network namespace with its cable, connected to a bridge if one is named, and address. Idempotent,
 * also after a partial setup.
 */
export async function attach(
  network: MachineNetwork,
  { bridge, cidr, gateway }: { bridge?: string; cidr: string; gateway: string },
): Promise<void> {
  const { netns, netnsPath, hostInterface } = network;
  await ipBatch(
    [],
    [
      ...(existsSync(netnsPath) ? [] : [`netns add ${netns}`]),
      ...(existsSync(`/sys/class/net/${hostInterface}`)
        ? []
        : [`link add ${hostInterface} type veth peer name eth0 netns ${netns}`]),
      `link set ${hostInterface} ${bridge ? `master ${bridge} ` : ''}addrgenmode none up`,
    ],
  );
  await ipBatch(
    ['-n', netns],
    [
      'link set lo up',
      `link set eth0 address ${macFor(addressOf(cidr))} addrgenmode none up`,
      `addr replace ${cidr} dev eth0`,
      `route replace default via ${gateway}`,
    ],
  );
}

export async function detach({ netns, netnsPath, hostInterface }: MachineNetwork): Promise<void> {
  // The cable is removed first, because the namespace exists until the last process in it has ended.
  if (existsSync(`/sys/class/net/${hostInterface}`))
    await unlessGone(run(['ip', 'link', 'delete', hostInterface]));
  if (existsSync(netnsPath)) await unlessGone(run(['ip', 'netns', 'delete', netns]));
}

/** Claims a subnet on the whole host: nft creates a table with its name only once, for any process. */
async function claimSubnet(
  folder: string,
  record: ModelRecord,
  recordedSubnet: string | undefined,
): Promise<string> {
  const bridge = bridgeName(record.modelUuid);
  const candidates = recordedSubnet ? [recordedSubnet] : [];
  for (const subnet of [
    ...candidates,
    ...take(candidateSubnets(record.modelUuid, await usedSubnets()), 64),
  ]) {
    await writeModel(folder, { ...record, subnet });
    if (await ownsTable(subnet, bridge)) return subnet;
    try {
      await run(['nft', '-f', '-'], natTable(subnet, bridge));
      return subnet;
    } catch (error) {
      if (!(error instanceof CommandError && /File exists/.test(error.stderr))) throw error;
      // The table belongs to another controller, or was just created for this same model.
      if (await ownsTable(subnet, bridge)) return subnet;
    }
  }
  throw new ProviderError('quota', 'no free /22 in 10.0.0.0/8 for the bridge of the model');
}

function natTable(subnet: string, bridge: string): string {
  return `create table inet ${tableName(subnet)}
table inet ${tableName(subnet)} {
  chain postrouting {
    type nat hook postrouting priority srcnat;
    ip saddr ${subnet} oifname != "gri-*" oifname != "lo" masquerade
  }
  chain forward {
    type filter hook forward priority filter;
    iifname "${bridge}" accept
    oifname "${bridge}" accept
  }
}
`;
}

function tableName(subnet: string): string {
  return `grigri_${addressOf(subnet).replaceAll('.', '_')}`;
}

async function ownsTable(subnet: string, bridge: string): Promise<boolean> {
  const text = await run(['nft', 'list', 'table', 'inet', tableName(subnet)]).catch(() => '');
  return text.includes(`"${bridge}"`);
}

/** Lists the subnets of the host's addresses and routes. */
async function usedSubnets(): Promise<string[]> {
  const routes = JSON.parse(await run(['ip', '-j', '-4', 'route', 'show', 'table', 'all'])) as {
    dst: string;
  }[];
  return routes.map((route) => route.dst).filter((dst) => dst !== 'default');
}

async function ensureForwarding(): Promise<void> {
  if ((await readFile(forwarding, 'utf8')).trim() !== '0') return;
  await run(['nft', 'add', 'table', 'inet', forwardingMark]);
  await writeFile(forwarding, '1');
}

async function restoreForwarding(): Promise<void> {
  if (!(await isMarked()) || (await hasModels())) return;
  await unlessGone(run(['nft', 'delete', 'table', 'inet', forwardingMark]));
  await writeFile(forwarding, '0');
  // Another controller that created a model meanwhile saw forwarding still on.
  if (await hasModels()) await ensureForwarding();
}

async function isMarked(): Promise<boolean> {
  return (await ourTables()).includes(forwardingMark);
}

async function hasModels(): Promise<boolean> {
  return (await ourTables()).some((name) => name !== forwardingMark);
}

async function ourTables(): Promise<string[]> {
  return (await run(['nft', 'list', 'tables', 'inet'])).match(/\bgrigri_\w+/g) ?? [];
}

async function ipBatch(options: readonly string[], lines: readonly string[]): Promise<void> {
  await run(['ip', ...options, '-batch', '-'], lines.join('\n') + '\n');
}

async function unlessThere(making: Promise<string>): Promise<void> {
  try {
    await making;
  } catch (error) {
    if (!(error instanceof CommandError && /File exists/.test(error.stderr))) throw error;
  }
}

/** Ignores the failure of a removal that another process made first. */
export async function unlessGone(removal: Promise<string>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!(error instanceof CommandError && /Cannot find|No such|does not exist/i.test(error.stderr)))
      throw error;
  }
}

function* take<T>(items: Iterable<T>, limit: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ === limit) return;
    yield item;
  }
}
