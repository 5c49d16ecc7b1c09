import { parseTagOf } from '../../wire/tags.ts';
import type { ResultOf } from '../../client/calls.ts';

type Subnet = ResultOf<'Subnets', 'ListSubnets'>['results'][number];

/** Describes a subnet within the list of its space. */
export function subnetDetails(subnet: Subnet) {
  const { cidr, life, zones } = subnet;
  return {
    type: cidr.includes(':') ? 'ipv6' : 'ipv4',
    'provider-id': subnet['provider-id'] || undefined,
    'provider-network-id': subnet['provider-network-id'] || undefined,
    status: life === 'alive' ? 'in-use' : 'terminating',
    zones: [...zones],
  };
}

/** Describes a subnet in a list of subnets, with its space. */
export function subnetEntry(subnet: Subnet) {
  const { zones, ...details } = subnetDetails(subnet);
  return { ...details, space: parseTagOf('space', subnet['space-tag']), zones };
}
