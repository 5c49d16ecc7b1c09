import type { MachineDoc } from '../../../core/machine/document.ts';
import { clear } from './clear.ts';
import { setUnitDying } from './destroy-unit.ts';
import { isDue, type ForceRequest } from './force.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { setMachineDying } from './remove-machine.ts';
import { forceWarnings, stuckWarnings } from './skipped.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * remove-machine: dying; its agent makes it dead once its units are gone, the provisioner releases the instance and
 * removes the record. One that was never started goes at once. Forced, its containers and units are dying too, and
 * what is left of them at the deadline is cleared.
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

/** Containers and units of a forced machine have the time until its deadline for their own ends. */
function endContents(tx: Tx, { id, keepInstance }: MachineDoc): void {
  for (const container of tx.find('machine', 'parent', id)) {
    setMachineDying(tx, container, { keepInstance });
    endContents(tx, container);
  }
  for (const unit of tx.find('unit', 'machine', id)) if (unit.principal === undefined) setUnitDying(tx, unit);
}
