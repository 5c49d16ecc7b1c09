import type { MachineDoc } from '../../../core/machine/document.ts';
import { setDatabag } from './commit-hook.ts';
import { networkSettings } from './enter-scope.ts';
import { noteSubnets } from './note-subnets.ts';
import type { Tx } from '../tx.ts';

/** Writes the machine's record, notes its subnets and updates the addresses that its units announce in their databags. */
export function putAddresses(tx: Tx, machine: MachineDoc): void {
  if (JSON.stringify(tx.get('machine', machine.id)) !== JSON.stringify(machine))
    tx.put('machine', machine.id, machine);
  noteSubnets(tx, machine);
  const settings = networkSettings(machine);
  for (const unit of tx.find('unit', 'machine', machine.id))
    for (const scope of tx.find('scope', 'unit', unit.name))
      setDatabag(tx, scope.relation, unit.name, settings);
}
