/** Facts about the controller's host. */
import { arch, cpus, networkInterfaces, totalmem } from 'node:os';
import type { Base } from '../../core/base.ts';
import type { Hardware } from '../../core/machine/hardware.ts';
import { baseOfRoot } from '../../providers/clouds/local/root-files.ts';

/** Lists addresses at which others may reach the host, IPv4 first, loopback last. */
export function hostAddresses(): string[] {
  const interfaces = Object.entries(networkInterfaces())
    .filter(([name]) => !name.startsWith('gri'))
    .flatMap(([, list]) => list ?? [])
    .filter((one) => !one.address.startsWith('fe80:'));
  const rank = (one: (typeof interfaces)[number]): number =>
    (one.internal ? 2 : 0) + (one.family === 'IPv6' ? 1 : 0);
  return [...new Set(interfaces.toSorted((a, b) => rank(a) - rank(b)).map((one) => one.address))];
}

/**
 * Returns the addresses of a controller on this host. `reachedBy`: addresses that the host does not know itself, when
 * it is an instance of a cloud; its loopback is then omitted, being useless to others.
 */
export function controllerHosts(reachedBy: readonly string[] | undefined): string[] {
  if (!reachedBy) return hostAddresses();
  const ownAddresses = hostAddresses().filter((address) => address !== '::1' && !address.startsWith('127.'));
  return [...new Set([...ownAddresses, ...reachedBy])];
}

/** Returns the host's base; `linux` when the host does not name one. */
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
