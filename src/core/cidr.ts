import { JujuError } from './errors.ts';

/** Refuses a text that is no CIDR. Errors: `not valid`. */
export function checkCidr(text: string): void {
  if (!isCidr(text)) throw new JujuError('not valid', `unable to parse "${text}" as a CIDR`);
}

/** Whether the text is a CIDR with an address and a prefix length: `10.0.0.0/8`, `fd00::/8`. */
export function isCidr(text: string): boolean {
  const slash = text.lastIndexOf('/');
  const bits = text.slice(slash + 1);
  if (slash < 0 || !/^(0|[1-9]\d*)$/.test(bits)) return false;
  const address = text.slice(0, slash);
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

export function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/**
 * Whether the text is an IPv6 address without a zone. `::` stands for at least one group; the last two groups may be
 * written as an IPv4 address.
 */
export function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1);
  const embedded = last !== undefined && last.includes('.') && isIpv4(last) && !text.endsWith('::');
  const hex = embedded ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = hex.length + (embedded ? 2 : 0);
  return halves.length === 2 ? count <= 7 : count === 8;
}

/**
 * The network of an address with a prefix length, in its one form: `10.0.0.7/24` → `10.0.0.0/24`. Undefined for other
 * texts.
 */
export function networkOf(cidr: string): string | undefined {
  if (!isCidr(cidr)) return undefined;
  const slash = cidr.lastIndexOf('/');
  const address = cidr.slice(0, slash);
  const length = Number(cidr.slice(slash + 1));
  const bits = address.includes(':') ? 128 : 32;
  const host = BigInt(bits - length);
  const network = (numberOf(address) >> host) << host;
  return `${bits === 32 ? ipv4Text(network) : ipv6Text(network)}/${length}`;
}

/**
 * The network that two networks have in common: the smaller one, or none. Both are in the form that networkOf gives.
 */
export function commonNetwork(a: string, b: string): string | undefined {
  const [ofA, ofB] = [a, b].map((one) => {
    const [address = '', length = ''] = one.split('/');
    return { bits: address.includes(':') ? 128 : 32, length: Number(length), first: numberOf(address) };
  });
  if (!ofA || !ofB || ofA.bits !== ofB.bits) return undefined;
  const host = BigInt(ofA.bits - Math.min(ofA.length, ofB.length));
  if (ofA.first >> host !== ofB.first >> host) return undefined;
  return ofA.length >= ofB.length ? a : b;
}

function numberOf(address: string): bigint {
  return address.includes(':') ? ipv6Number(address) : join(address.split('.'), 8n, 10);
}

function ipv6Number(address: string): bigint {
  const dotted = address.slice(address.lastIndexOf(':') + 1);
  const plain = dotted.includes('.')
    ? `${address.slice(0, -dotted.length)}${hexPair(join(dotted.split('.'), 8n, 10))}`
    : address;
  const [head = '', tail] = plain.split('::');
  const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return join([...first, ...zeros, ...last], 16n, 16);
}

function hexPair(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

function join(parts: readonly string[], bits: bigint, radix: number): bigint {
  return parts.reduce((sum, part) => (sum << bits) + BigInt(parseInt(part, radix)), 0n);
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}

/** The form of RFC 5952: the longest run of zeros is `::`. */
function ipv6Text(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, n) =>
    ((value >> BigInt(112 - 16 * n)) & 0xffffn).toString(16),
  );
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (groups[end] === '0') end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}
