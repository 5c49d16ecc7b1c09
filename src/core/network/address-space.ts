/** Which space an address is in (networks.md#address-space). */
import { isIpv4, isIpv6, networkOf } from '../cidr.ts';
import { defaultSpace, type SpaceDoc } from '../space/document.ts';
import type { SubnetDoc } from '../subnet/document.ts';

/** Finds a subnet by its CIDR. */
export type FindSubnet = (cidr: string) => Pick<SubnetDoc, 'space'> | undefined;

/** Interfaces that join what runs within a machine; no other machine is reached through them. */
const innerInterfaces = /^(?:docker|lxdbr|virbr)\d+$/;

interface Seen {
  readonly value: string;
  readonly scope: string;
  readonly cidr?: string | undefined;
  readonly interfaceName?: string | undefined;
}

/** True for addresses at which other machines may reach this one. */
export function isOfNetwork({ value, scope, interfaceName = '' }: Seen): boolean {
  return (
    (isIpv4(value) || isIpv6(value)) && scope !== 'local-machine' && !innerInterfaces.test(interfaceName)
  );
}

/**
 * CIDR of the subnet that an address belongs to; undefined when nobody reported the subnet, or the subnet holds a
 * single address.
 */
export function subnetCidr(address: Seen): string | undefined {
  const cidr = address.cidr === undefined ? undefined : networkOf(address.cidr);
  const length = Number(cidr?.slice(cidr.lastIndexOf('/') + 1));
  const isNetwork = length > 0 && length < (cidr?.includes(':') ? 128 : 32);
  return isNetwork ? cidr : undefined;
}

/** Space of an address: its subnet's. An address whose subnet nobody reported is in the default space. */
export function spaceOfAddress(address: Seen, find: FindSubnet): string {
  return spaceOfSubnet(subnetCidr(address), find);
}

function spaceOfSubnet(cidr: string | undefined, find: FindSubnet): string {
  return (cidr === undefined ? undefined : find(cidr)?.space) ?? defaultSpace;
}

/** Spaces in which a machine has addresses. */
export function spacesOfMachine(addresses: readonly Seen[], find: FindSubnet): Set<string> {
  return spacesOfSubnets(subnetsOfMachine(addresses), find);
}

/** Subnets in which a machine has addresses; undefined for subnets that nobody reported. */
export function subnetsOfMachine(addresses: readonly Seen[]): (string | undefined)[] {
  return addresses.filter(isOfNetwork).map(subnetCidr);
}

/** Spaces of subnets. */
export function spacesOfSubnets(cidrs: readonly (string | undefined)[], find: FindSubnet): Set<string> {
  return new Set(cidrs.map((cidr) => spaceOfSubnet(cidr, find)));
}

/** Whether a model has the space. */
export function hasSpace(name: string, find: (name: string) => SpaceDoc | undefined): boolean {
  return name === defaultSpace || find(name) !== undefined;
}
