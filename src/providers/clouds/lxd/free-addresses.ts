/** Free addresses of a managed bridge. */

/**
 * Yields candidates from the end of the DHCP range, because DHCP assigns addresses from anywhere in it. Network,
 * broadcast and bridge addresses are never free.
 */
export function* freeAddresses(
  config: Readonly<Record<string, string>>,
  taken: ReadonlySet<string>,
): Generator<string> {
  const cidr = config['ipv4.address'] ?? '';
  const { first, last } = rangeOf(cidr);
  const gateway = cidr.slice(0, cidr.indexOf('/'));
  const ranges = (config['ipv4.dhcp.ranges'] ?? '')
    .split(',')
    .map((range) => range.trim().split('-').map(parse))
    .filter((range) => range.length === 2)
    .map(([from = 0, to = 0]) => [Math.max(from, first + 1), Math.min(to, last - 1)] as const);
  for (const [from, to] of ranges.length > 0 ? ranges : [[first + 1, last - 1] as const])
    for (let value = to; value >= from; value--) {
      const address = format(value);
      if (address !== gateway && !taken.has(address)) yield address;
    }
}

/** Returns the subnet of an address: `10.77.0.0/24` for `10.77.0.1/24`. */
export function subnetOf(cidr: string): string {
  return format(rangeOf(cidr).first) + cidr.slice(cidr.indexOf('/'));
}

function rangeOf(cidr: string): { first: number; last: number } {
  const [address = '', length = '32'] = cidr.split('/');
  const width = 2 ** (32 - Number(length));
  const value = parse(address);
  const first = value - (value % width);
  return { first, last: first + width - 1 };
}

function parse(address: string): number {
  return address
    .trim()
    .split('.')
    .reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

function format(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
