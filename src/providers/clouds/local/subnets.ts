/** IPv4 arithmetic of models' subnets: each model has a /22 of 10.0.0.0/8 on a bridge of its own. */

/**
 * Maximum number of machines per model: a bridge has at most 1023 ports, a /22 has 1022 addresses, one of them the
 * host's.
 */
export const machinesPerModel = 1021;
const prefix = 22;
const size = 2 ** (32 - prefix);
const base = 10 * 2 ** 24;
const count = 2 ** 24 / size;

/**
 * Yields every candidate subnet. The first depends on the model's UUID, so that controllers on one host seldom collide.
 */
export function* candidateSubnets(modelUuid: string, used: readonly string[]): Generator<string> {
  const ranges = used.map(rangeOf).filter((range) => range !== undefined);
  const start = Number.parseInt(modelUuid.replaceAll('-', '').slice(-8), 16) % count;
  for (let step = 0; step < count; step++) {
    const first = base + ((start + step) % count) * size;
    const last = first + size - 1;
    if (ranges.some((range) => range.first <= last && first <= range.last)) continue;
    yield `${format(first)}/${prefix}`;
  }
}

/** Returns the host's own address in a model's subnet. */
export function gatewayOf(subnet: string): string {
  return format(rangeOf(subnet)!.first + 1);
}

/** Returns the address with prefix length of the machine in a slot. */
export function machineCidr(subnet: string, slot: number): string {
  return `${format(rangeOf(subnet)!.first + 2 + slot)}/${prefix}`;
}

/** Returns a locally administered MAC address derived from the IP address, so that it is stable over restarts. */
export function macFor(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return ['02', '67', ...bytes].join(':');
}

/** Returns `10.88.4.0/22` for `10.88.4.7/22`. */
export function subnetOf(cidr: string): string {
  return format(rangeOf(cidr)!.first) + cidr.slice(cidr.indexOf('/'));
}

export function addressOf(cidr: string): string {
  return cidr.slice(0, cidr.indexOf('/'));
}

function rangeOf(cidr: string): { first: number; last: number } | undefined {
  const [address = '', length = '32'] = cidr.split('/');
  const bytes = address.split('.').map(Number);
  if (bytes.length !== 4 || !bytes.every((byte) => byte >= 0 && byte <= 255)) return undefined;
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const width = 2 ** (32 - Number(length));
  const first = value - (value % width);
  return { first, last: first + width - 1 };
}

function format(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
