import type { MachineDoc } from '../../../core/machine/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { setDatabag } from './set-databag.ts';
import { noteSubnets } from './note-subnets.ts';
import { announcedAddresses } from './unit-network.ts';
import type { Tx } from '../tx.ts';

/** Writes the machine's record, notes its subnets and updates the addresses that its units announce. */
export function putAddresses(tx: Tx, machine: MachineDoc): void {
  if (JSON.stringify(tx.get('machine', machine.id)) !== JSON.stringify(machine))
    tx.put('machine', machine.id, machine);
  noteSubnets(tx, machine);
  for (const unit of tx.find('unit', 'machine', machine.id)) announceAddresses(tx, unit);
}

/** Writes the unit's present addresses into its databags. */
export function announceAddresses(tx: Tx, unit: UnitDoc): void {
  for (const { relation: id } of tx.find('scope', 'unit', unit.name)) {
    const relation = tx.get('relation', id);
    const endpoint = relation?.endpoints.find(({ application }) => application === unit.application);
    if (relation && endpoint)
      setDatabag(tx, id, unit.name, announcedAddresses(tx, unit, endpoint.name, relation));
  }
}
