import { advance } from '../../core/life.ts';
import { forceRemoveUnit } from './destroy-unit.ts';
import { ending, type ForceRequest } from './force.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { mustGet, type Tx } from './tx.ts';

/**
 * remove-machine: dying; its agent makes it dead once its units are gone, the provisioner releases the instance and
 * removes the record. Forced, its units are removed at once and it is dead. Returns the units that go with it.
 * Errors: `machine has assigned units`, `machine is hosting containers`, '' for the controller's machine.
 */
export function destroyMachine(
  tx: Tx,
  args: { machine: string; force?: ForceRequest; keepInstance: boolean },
): { units: string[]; warnings: string[] } {
  const machine = mustGet(tx, 'machine', args.machine);
  const containers = [...tx.find('machine', 'parent', machine.id)].map((one) => one.id);
  const units = [...tx.find('unit', 'machine', machine.id)];
  refuseRemoval(tx, { kind: 'machine', id: machine.id }, args.force);
  tx.put('machine', machine.id, {
    ...machine,
    life: advance(machine.life, args.force ? 'dead' : 'dying'),
    ...ending(tx, machine, undefined),
    keepInstance: machine.keepInstance || args.keepInstance,
  });
  if (args.force) {
    for (const container of containers) destroyMachine(tx, { ...args, machine: container });
    for (const unit of units) if (unit.principal === undefined) forceRemoveUnit(tx, unit);
  }
  return { units: units.map((unit) => unit.name), warnings: [] };
}
