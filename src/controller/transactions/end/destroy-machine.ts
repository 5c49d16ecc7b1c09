import type { MachineDoc } from '../../../core/machine/document.ts';
import { clear } from './clear.ts';
import { setUnitDying } from './destroy-unit.ts';
import { isDue, type ForceRequest } from './force.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { setMachineDying } from './remove-machine.ts';
import { forceWarnings, stuckWarnings } from './skipped.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * remove-machine: the machine is dying; its agent makes it dead once its units are gone, then the provisioner releases
 * the instance and removes the record. A machine that was never started is removed at once. With force, its containers
 * and units are dying too, and what is left of them at the deadline is cleared.
 * Errors: `not found`, `machine has assigned units`, `machine is hosting containers`; '' for the controller's machine
 * (force does not help).
 */
export function destroyMachine(
  tx: Tx,
  args: { machine: string; force?: ForceRequest; keepInstance: boolean },
): { warnings: string[] } {
  const machine = mustGet(tx, 'machine', args.machine);
  const { id } = machine;
  const entity = { kind: 'machine', id } as const;
  refuseRemoval(tx, entity, args.force);
  const stuck = stuckWarnings(tx, id);
  setMachineDying(tx, machine, args);
  const warnings = [...stuck, ...forceWarnings(tx, entity)];
  if (isDue(tx, tx.get('machine', id))) clear(tx, entity);
  else if (args.force) endContents(tx, tx.get('machine', id) ?? machine);
  return { warnings };
}

/**
 * Makes containers and units of a forced machine dying; they have until the machine's deadline to end by themselves.
 */
function endContents(tx: Tx, { id, keepInstance }: MachineDoc): void {
  for (const container of tx.find('machine', 'parent', id)) {
    setMachineDying(tx, container, { keepInstance });
    endContents(tx, container);
  }
  for (const unit of tx.find('unit', 'machine', id)) if (unit.principal === undefined) setUnitDying(tx, unit);
}
