import { boundSpace } from '../../../core/application/bindings.ts';
import { spaceOfAddress } from '../../../core/network/address-space.ts';
import {
  networkInfo,
  networkSettings,
  parseCidrs,
  type SpacedAddress,
} from '../../../core/network/network-info.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import { viaOf } from '../../../core/relation/ends.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { View } from '../tx.ts';

/** A machine's addresses with their spaces. */
export function spacedAddresses(view: View, { addresses }: MachineDoc): SpacedAddress[] {
  return addresses.map((address) => ({
    ...address,
    space: spaceOfAddress(address, (cidr) => view.get('subnet', cidr)),
  }));
}

/**
 * The addresses that a unit announces in its databag of a relation, by the space that its endpoint is bound to; '' for
 * keys without a value (relations.md#unit-databag).
 */
export function announcedAddresses(
  view: View,
  unit: UnitDoc,
  endpoint: string,
  relation: RelationDoc,
): Record<string, string> {
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  const application = view.get('application', unit.application);
  if (!machine || !application) return networkSettings(undefined);
  return networkSettings(
    networkInfo(spacedAddresses(view, machine), {
      space: boundSpace(application.endpointBindings, endpoint),
      via: viaOf(relation),
      egressSubnets: parseCidrs(view.in('').get('model', view.space)?.config['egress-subnets']),
    }),
  );
}
