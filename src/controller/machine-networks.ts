/** The networks that machines ask for, by the bindings of their units and their constraints. */
import { machineNetworks, type MachineNetworks } from '../core/network/machine-networks.ts';
import { hasSpace } from '../core/network/address-space.ts';
import { JujuError } from '../core/errors.ts';
import type { Constraints } from '../core/constraints.ts';
import { ProviderError } from '../providers/contract/provider.ts';
import type { View } from './transactions/tx.ts';

/**
 * Networks for a machine; undefined when it may be on any. A host needs what its containers need. Errors: ProviderError
 * `bad request` (machineNetworks).
 */
export function networksOf(
  view: View,
  { id, constraints }: { readonly id: string; readonly constraints: Constraints },
): MachineNetworks | undefined {
  // A model without spaces of its own costs nothing.
  if (view.count('space') === 0) return undefined;
  const machines = [id, ...[...view.find('machine', 'parent', id)].map((container) => container.id)];
  const units = machines.flatMap((machine) => [...view.find('unit', 'machine', machine)]);
  const applications = new Set(units.map(({ application }) => application));
  try {
    return machineNetworks({
      constraints,
      bindings: [...applications].map((name) => view.get('application', name)?.endpointBindings ?? {}),
      hasSpace: (name) => hasSpace(name, (space) => view.get('space', space)),
      subnetsIn: (space) => [...view.find('subnet', 'space', space)].map(({ cidr }) => cidr),
    });
  } catch (error) {
    if (error instanceof JujuError) throw new ProviderError('bad request', error.message, { cause: error });
    throw error;
  }
}
