import { spacesOfMachine } from '../../../core/network/address-space.ts';
import type { View } from '../tx.ts';

/** The machines of the application's units with the spaces of their addresses; a machine without any is left out. */
export function* spacesOfMachines(
  view: View,
  application: string,
): Generator<readonly [machine: string, spaces: ReadonlySet<string>]> {
  const machines = new Set([...view.find('unit', 'application', application)].map(({ machine }) => machine));
  for (const id of machines) {
    const addresses = (id === undefined ? undefined : view.get('machine', id)?.addresses) ?? [];
    if (addresses.length > 0) yield [id!, spacesOfMachine(addresses, (cidr) => view.get('subnet', cidr))];
  }
}
