/** Port ranges that units open (firewall.md#port-ranges). */
import { JujuError, notValid } from './errors.ts';

export interface PortRange {
  readonly protocol: 'tcp' | 'udp' | 'icmp';
  /** The first port, 1…65535; -1 for icmp, which has no ports. */
  readonly fromPort: number;
  readonly toPort: number;
}

/** Parses `80`, `80/tcp`, `9000-9010/UDP`, `icmp`; in any case. Errors: `not valid`. */
export function parsePortRange(text: string): PortRange {
  const lower = text.trim().toLowerCase();
  if (lower === 'icmp') return { protocol: 'icmp', fromPort: -1, toPort: -1 };
  const match = /^(\d+)(?:-(\d+))?(?:\/(.*))?$/.exec(lower);
  if (!match)
    throw notValid(`invalid port range "${text}", expected "<port>[-<port>][/<protocol>]" or "icmp"`);
  const protocol = match[3] ?? 'tcp';
  if (protocol !== 'tcp' && protocol !== 'udp')
    throw notValid(`invalid protocol "${protocol}", expected "tcp", "udp", or "icmp"`);
  const range: PortRange = { protocol, fromPort: Number(match[1]), toPort: Number(match[2] ?? match[1]) };
  const bounds = `${range.fromPort}-${range.toPort}`;
  if (range.fromPort > range.toPort) throw notValid(`invalid port range ${bounds}/${protocol}`);
  if (range.fromPort < 1 || range.toPort > 65535)
    throw notValid(`port range bounds must be between 1 and 65535, got ${bounds}`);
  return range;
}

/** The only form in which ranges are stored: `80/tcp`, `9000-9010/udp`, `icmp`. */
export function formatPortRange({ protocol, fromPort, toPort }: PortRange): string {
  if (protocol === 'icmp') return 'icmp';
  return fromPort === toPort ? `${fromPort}/${protocol}` : `${fromPort}-${toPort}/${protocol}`;
}

/** Whether some packet falls in both ranges. */
export function rangesOverlap(a: PortRange, b: PortRange): boolean {
  return a.protocol === b.protocol && a.fromPort <= b.toPort && b.fromPort <= a.toPort;
}

/** Compares ranges for lists: by port, then by protocol, icmp first. */
export function comparePortRanges(a: PortRange, b: PortRange): number {
  return (
    a.fromPort - b.fromPort ||
    a.toPort - b.toPort ||
    (a.protocol < b.protocol ? -1 : Number(a.protocol > b.protocol))
  );
}

/** The type of UnitDoc.ports: endpoint ('' = all) → ranges as text. */
export type OpenPorts = Readonly<Record<string, readonly string[]>>;

/** A range that another unit on the machine has open. */
export interface TakenRange {
  readonly unit: string;
  readonly range: PortRange;
}

/** The ranges of other units on the machine, read once for all ranges that are to be opened. */
export function takenRanges(
  units: Iterable<{ readonly name: string; readonly ports: OpenPorts }>,
): TakenRange[] {
  return [...units].flatMap(({ name, ports }) =>
    Object.values(ports)
      .flat()
      .map((text) => ({ unit: name, range: parsePortRange(text) })),
  );
}

/**
 * The unit's ports with one more range open. A range may be open for several endpoints; ranges that overlap without
 * being equal conflict, and those of other units on the machine conflict even when equal. Errors: plain ones.
 */
export function openPort(
  own: { readonly unit: string; readonly ports: OpenPorts },
  open: { readonly endpoint: string; readonly range: PortRange },
  others: readonly TakenRange[],
): OpenPorts {
  const text = formatPortRange(open.range);
  // An endpoint may have the name of a member that every object inherits.
  const before = Object.hasOwn(own.ports, open.endpoint) ? (own.ports[open.endpoint] ?? []) : [];
  if (before.includes(text)) return own.ports;
  const clash = (unit: string, theirs: string): JujuError =>
    new JujuError(
      '',
      `cannot open ${text} (unit "${own.unit}"): port range conflicts with ${theirs} (unit "${unit}")`,
    );
  // ICMP has no ports, so any number of units may open it.
  if (open.range.protocol !== 'icmp') {
    for (const theirs of Object.values(own.ports).flat())
      if (theirs !== text && rangesOverlap(parsePortRange(theirs), open.range)) throw clash(own.unit, theirs);
    for (const { unit, range } of others)
      if (rangesOverlap(range, open.range)) throw clash(unit, formatPortRange(range));
  }
  return { ...own.ports, [open.endpoint]: sorted([...before, text]) };
}

/**
 * The unit's ports with one range closed; for all endpoints it is closed on each of them. A range that is not open
 * changes nothing; a part of an open range cannot be closed. Errors: plain ones.
 */
export function closePort(
  own: { readonly unit: string; readonly ports: OpenPorts },
  close: { readonly endpoint: string; readonly range: PortRange },
): OpenPorts {
  const text = formatPortRange(close.range);
  const left = Object.entries(own.ports).map(([endpoint, ranges]): [string, readonly string[]] => {
    if (close.endpoint !== '' && close.endpoint !== endpoint) return [endpoint, ranges];
    const clash = ranges.find((range) => range !== text && rangesOverlap(parsePortRange(range), close.range));
    if (clash !== undefined)
      throw new JujuError(
        '',
        `cannot close ${text} (unit "${own.unit}"): port range conflicts with ${clash} (unit "${own.unit}")`,
      );
    return [endpoint, ranges.filter((range) => range !== text)];
  });
  return Object.fromEntries(left.filter(([, ranges]) => ranges.length > 0));
}

/** Every range that is open on any endpoint, once and in order. */
export function openRanges(ports: OpenPorts): string[] {
  return sorted([...new Set(Object.values(ports).flat())]);
}

function sorted(ranges: readonly string[]): string[] {
  return ranges.map(parsePortRange).sort(comparePortRanges).map(formatPortRange);
}
