/** Conversion of LXD's instances to those of the contract. */
import type { Address } from '../../../core/machine/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { tagKeys, type Instance, type OpenParams } from '../../contract/provider.ts';
import { archOf } from './config.ts';
import { machineIdOf, tagsOfConfig } from './names.ts';
import { defined } from '../../../core/defined.ts';

type Config = Readonly<Record<string, string>>;

/** Instance as in `/1.0/instances/<name>`; `state` requires recursion. */
export interface LxdInstance {
  readonly name: string;
  /** Status: `Running`, `Stopped`, `Frozen`, `Error`… */
  readonly status: string;
  readonly type: 'container' | 'virtual-machine';
  readonly architecture: string;
  readonly config: Config;
  readonly expanded_config: Config;
  readonly devices: Readonly<Record<string, Config>>;
  readonly expanded_devices: Readonly<Record<string, Config>>;
  readonly profiles: readonly string[];
  /** Cluster member; `none` without a cluster. */
  readonly location: string;
  /** Time of the last start, RFC 3339; before 1971 when the instance never ran. */
  readonly last_used_at: string;
  readonly state?: { readonly network: Readonly<Record<string, LxdInterface>> | null } | null;
}
/** Instance of which LXD returns only the record, because its cluster member does not answer. */
export interface Unseen {
  readonly name: string;
  readonly config: null;
  readonly location: string;
}
interface LxdInterface {
  readonly addresses: readonly {
    readonly family: 'inet' | 'inet6';
    readonly address: string;
    /** Length of the address's prefix. */
    readonly netmask: string;
    readonly scope: 'global' | 'link' | 'local';
  }[];
  readonly hwaddr: string;
}

/** Size of the server, all of which an instance without limits gets. */
export interface ServerSize {
  readonly cores?: number;
  /** Memory in MiB. */
  readonly mem?: number;
  /** Size in MiB of the pool with the root disks. */
  readonly pool?: number;
}

const statuses: Readonly<Record<string, Instance['status']>> = {
  Running: 'running',
  Started: 'running',
  Starting: 'allocating',
  Thawed: 'running',
  Stopping: 'stopped',
  Stopped: 'stopped',
  Aborting: 'stopped',
  Freezing: 'stopped',
  Frozen: 'stopped',
  Error: 'error',
};

export function snapshotOf(instance: LxdInstance): Instance {
  const { name, status, type, location } = instance;
  const isMade = hasStarted(instance);
  return {
    id: name,
    displayName: name,
    status: isMade ? (statuses[status] ?? 'unknown') : 'allocating',
    message: isMade ? status : 'being made',
    addresses: addressesOf(instance),
    tags: tagsOfConfig(instance.config),
    ...defined({ zone: isMember(location) ? location : undefined }),
    isolation: type === 'virtual-machine' ? '' : 'lxd container',
  };
}

/** Returns an instance whose state and tags are unknown; only its existence and its name are. */
export function unseenOf(
  { name, location }: Unseen,
  { controllerUuid, modelUuid }: Pick<OpenParams, 'controllerUuid' | 'modelUuid'>,
): Instance {
  return {
    id: name,
    displayName: name,
    status: 'unknown',
    message: `LXD does not reach it${isMember(location) ? ` on ${location}` : ''}`,
    addresses: [],
    tags: {
      [tagKeys.model]: modelUuid,
      [tagKeys.controller]: controllerUuid,
      [tagKeys.machine]: machineIdOf(name),
    },
    isolation: '',
  };
}

/**
 * Tells whether the instance ran once: an instance that never ran may be half created, after a crash of LXD or the
 * controller.
 */
export function hasStarted({ status, last_used_at: used }: LxdInstance): boolean {
  return status === 'Running' || Date.parse(used) >= Date.UTC(1971);
}

export function hardwareOf(instance: LxdInstance, server: ServerSize): Hardware {
  const { expanded_config: config, expanded_devices: devices, location, type } = instance;
  const isVm = type === 'virtual-machine';
  const root = Object.values(devices).find((device) => device['type'] === 'disk' && device['path'] === '/');
  const mem = memoryOf(config['limits.memory'], server.mem) ?? (isVm ? vmDefaults.mem : server.mem);
  const rootDisk = mebibytes(root?.['size'] ?? '') ?? (isVm ? vmDefaults.rootDisk : server.pool);
  const cores = coresOf(config['limits.cpu']) ?? (isVm ? vmDefaults.cores : server.cores);
  return {
    arch: archOf(instance.architecture),
    ...defined({
      cores,
      mem,
      rootDisk,
      rootDiskSource: root?.['pool'] ? root['pool'] : undefined,
      availabilityZone: isMember(location) ? location : undefined,
    }),
    virtType: type,
  };
}

/** LXD's defaults for virtual machines without limits, sizes in MiB. */
const vmDefaults = { cores: 1, mem: 1024, rootDisk: 10 * 1024 };

/** Counts the cores in `4`, `0-3`, `1,5-6`. */
function coresOf(text = ''): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  if (!/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(text)) return undefined;
  return text
    .split(',')
    .map((range) => range.split('-').map(Number))
    .reduce((sum, [from = 0, to = from]) => sum + to - from + 1, 0);
}

function memoryOf(text = '', all: number | undefined): number | undefined {
  const percent = /^(\d+)%$/.exec(text)?.[1];
  if (percent === undefined) return mebibytes(text);
  return all === undefined ? undefined : Math.floor((all * Number(percent)) / 100);
}

/** Converts `512MiB`, `2GB` or bytes to MiB, rounded down. */
export function mebibytes(text: string): number | undefined {
  const match = /^(\d+)\s*(?:([kKMGTP])(i?)B|B)?$/.exec(text);
  if (!match) return undefined;
  const [, digits, letter = '', binary] = match;
  const power = letter === '' ? 0 : 'KMGTP'.indexOf(letter.toUpperCase()) + 1;
  return Math.floor((Number(digits) * (binary ? 1024 : 1000) ** power) / 1024 ** 2);
}

/** Returns the addresses of the instance's own interfaces, excluding those that it created for its containers. */
function addressesOf({ state, expanded_config: config, expanded_devices: devices }: LxdInstance): Address[] {
  const nics = Object.entries(devices).filter(([, device]) => device['type'] === 'nic');
  const macs = new Set(nics.map(([name, device]) => device['hwaddr'] ?? config[`volatile.${name}.hwaddr`]));
  return Object.entries(state?.network ?? {})
    .filter(([name, { hwaddr }]) => macs.has(hwaddr) || /^(eth|en[opsx])\d/.test(name))
    .flatMap(([interfaceName, { addresses, hwaddr }]) =>
      addresses
        .filter(({ scope }) => scope === 'global')
        .map(({ family, address, netmask }): Address => ({
          value: address,
          type: family === 'inet' ? 'ipv4' : 'ipv6',
          scope: 'local-cloud',
          cidr: subnetOf(address, Number(netmask)),
          interfaceName,
          ...defined({ macAddress: hwaddr || undefined }),
        })),
    )
    .toSorted((a, b) => Number(a.type === 'ipv6') - Number(b.type === 'ipv6'));
}

/** Returns the subnet: `10.77.0.33`, 24 → `10.77.0.0/24`; `fd42::1:2`, 64 → `fd42::/64`. */
export function subnetOf(address: string, prefix: number): string {
  const wide = address.includes(':');
  const groups = wide ? ipv6Groups(address) : address.split('.').map(Number);
  const bits = wide ? 16 : 8;
  const kept = groups.map((group, index) => {
    const own = Math.max(0, Math.min(bits, prefix - index * bits));
    return group & ~((1 << (bits - own)) - 1);
  });
  const text = wide ? new URL(`http://[${kept.map((group) => group.toString(16)).join(':')}]`).hostname : '';
  return `${wide ? text.slice(1, -1) : kept.join('.')}/${prefix}`;
}

function ipv6Groups(address: string): number[] {
  const [head = '', rest] = address.split('::', 2);
  const parse = (part: string): number[] =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => parseInt(group, 16));
  const [front, back] = [parse(head), parse(rest ?? '')];
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back];
}

function isMember(location: string): boolean {
  return location !== '' && location !== 'none';
}
