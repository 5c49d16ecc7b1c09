import type { MachineDoc } from '../../../core/machine/document.ts';
import { isOfNetwork, subnetCidr } from '../../../core/network/address-space.ts';
import { limits } from '../../../core/limits.ts';
import { defaultSpace } from '../../../core/space/document.ts';
import { takeNumbers, type Tx } from '../tx.ts';

/**
 * Records the subnets of a machine's addresses; a new one is in the default space (networks.md#subnets). Subnets beyond
 * a model's limit are left out: the machine's report counts all the same.
 */
export function noteSubnets(tx: Tx, { addresses, zone = '', instance }: MachineDoc): void {
  const inZone = instance?.hardware.availabilityZone ?? zone;
  for (const cidr of new Set(addresses.filter(isOfNetwork).map(subnetCidr)))
    if (cidr !== undefined) noteSubnet(tx, cidr, inZone);
}

/** Records a subnet, with the zone of a machine in it; '' = without a machine. */
export function noteSubnet(tx: Tx, cidr: string, zone = ''): void {
  const known = tx.get('subnet', cidr);
  if (!known && tx.count('subnet') >= limits.subnets.max) return;
  const zones = known?.zones ?? [];
  const isNewZone = zone !== '' && !zones.includes(zone) && zones.length < limits.subnetZones.max;
  if (known && !isNewZone) return;
  const subnet = known ?? { id: String(takeNumbers(tx, 'subnet') + 1), cidr, space: defaultSpace };
  tx.put('subnet', cidr, { ...subnet, zones: isNewZone ? [...zones, zone].sort() : zones });
}
