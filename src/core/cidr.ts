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
