/** What this host is, as far as a controller on it must say. */
import { arch, cpus, networkInterfaces, totalmem } from 'node:os';
import type { Base } from '../../core/base.ts';
import type { Hardware } from '../../core/machine/hardware.ts';
import { baseOfRoot } from '../../providers/clouds/local/root-files.ts';

/** Addresses that others may reach it by, IPv4 first, loopback last. */
export function hostAddresses(): string[] {
  const all = Object.entries(networkInterfaces())
    .filter(([name]) => !name.startsWith('gri'))
    .flatMap(([, list]) => list ?? [])
    .filter((one) => !one.address.startsWith('fe80:'));
  const rank = (one: (typeof all)[number]): number =>
    (one.internal ? 2 : 0) + (one.family === 'IPv6' ? 1 : 0);
  return [...new Set(all.toSorted((a, b) => rank(a) - rank(b)).map((one) => one.address))];
}

/**
 * Addresses that a controller on this host is found at. `reachedBy`: those that the host does not know of, where it is an
 * instance of a cloud; its loopback is of no use to others then.
 */
export function controllerHosts(reachedBy: readonly string[] | undefined): string[] {
  if (!reachedBy) return hostAddresses();
  const own = hostAddresses().filter((address) => address !== '::1' && !address.startsWith('127.'));
  return [...new Set([...own, ...reachedBy])];
}

/** Hosts that say nothing of it are `linux`. */
export async function hostBase(): Promise<Base> {
  return (await baseOfRoot('/')) ?? { name: 'linux', channel: '0/stable' };
}

export function hostHardware(): Hardware {
  return {
    arch: { x64: 'amd64', ppc64: 'ppc64el' }[arch() as string] ?? arch(),
    cores: cpus().length,
    mem: Math.floor(totalmem() / 1024 ** 2),
  };
}
