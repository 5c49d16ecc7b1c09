import { JujuError } from '../../core/errors.ts';
import { advance } from '../../core/life.ts';
import { forceRemoveUnit } from './destroy-unit.ts';
import { mustGet, type Tx } from './tx.ts';

/**
 * remove-machine: dying; its agent makes it dead once its units are gone, the provisioner releases the instance and
 * removes the record. Forced, its units are removed at once and it is dead. Returns the units that go with it.
 * Errors: `machine has assigned units`, `machine is hosting containers`, '' for the controller's machine.
 */
export function destroyMachine(
  tx: Tx,
  args: { machine: string; force: boolean; keepInstance: boolean },
): { units: string[] } {
  const machine = mustGet(tx, 'machine', args.machine);
  if (machine.isController)
    throw new JujuError('', `cannot remove machine ${machine.id}: controller ${machine.id} is the only controller`);
  const containers = [...tx.find('machine', 'parent', machine.id)].map((one) => one.id);
  const units = [...tx.find('unit', 'machine', machine.id)];
  if (!args.force) {
    if (containers.length > 0)
      throw new JujuError('machine is hosting containers', `machine ${machine.id} is hosting containers "${containers.join('", "')}"`);
    const blocking = units
      .filter((unit) => unit.principal === undefined && unit.life === 'alive')
      .filter((unit) => tx.get('application', unit.application)?.life === 'alive')
      .map((unit) => unit.name);
    if (blocking.length > 0)
      throw new JujuError('machine has assigned units', `machine ${machine.id} has unit "${blocking.join('", "')}" assigned`);
  }
  tx.put('machine', machine.id, {
    ...machine,
    life: advance(machine.life, args.force ? 'dead' : 'dying'),
    keepInstance: machine.keepInstance || args.keepInstance,
    forced: machine.forced || args.force,
  });
  if (args.force) {
    for (const container of containers) destroyMachine(tx, { ...args, machine: container });
    for (const unit of units) if (unit.principal === undefined) forceRemoveUnit(tx, unit);
  }
  return { units: units.map((unit) => unit.name) };
}
