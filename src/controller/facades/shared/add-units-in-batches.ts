import type { Constraints } from '../../../core/constraints.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { Call } from '../../facade.ts';
import { addUnits, type AddedUnit } from '../../transactions/begin/add-units.ts';
import { checkPlacement } from '../../transactions/begin/place-units.ts';
import { changeModel } from './change-model.ts';
import { constraintsOf } from './precheck.ts';

/** Number of units without storage in one transaction, which takes some 80 ms. */
export const unitsOfBatch = 2_000;

type Units = Parameters<typeof addUnits>[1] & {
  /** Number of units in one transaction. */
  readonly batch: number;
};

/** Number of units in one transaction, each with this number of storages. */
export function batchOf(storages: number): number {
  // A storage costs twice what a unit costs.
  return Math.max(Math.floor(unitsOfBatch / (1 + 2 * storages)), 1);
}

/**
 * Refuses, before anything is created, what a later batch would be refused for: more units than there may be, and
 * impossible machines. `application` need not exist. Errors: `quota limit exceeded`, those of checkPlacement.
 */
export function checkBatches(
  call: Call,
  application: Parameters<typeof checkPlacement>[1] & { readonly constraints: Constraints },
  { count, batch, placement, containerTypes = [] }: Omit<Units, 'application'>,
): void {
  checkLimit(limits.unitsAtOnce, count, `units of ${application.name} to be added at once`);
  if (count <= batch) return;
  const view = call.read();
  checkLimit(limits.units, view.count('unit') + count);
  const constraints = constraintsOf(call, application.constraints);
  for (const one of placement.slice(batch, count))
    checkPlacement(view, application, { placement: one, constraints, containerTypes });
}

/**
 * Adds the units beyond those of a command's own transaction, in transactions of `batch`; other work runs
 * between them. Errors: as addUnits, with the number of units added by then, which stay.
 */
export async function addFurtherUnits(
  call: Call,
  units: Units,
  added: readonly AddedUnit[],
): Promise<AddedUnit[]> {
  const all = [...added];
  while (all.length < units.count) {
    const count = Math.min(units.batch, units.count - all.length);
    const placement = units.placement.slice(all.length);
    // The workers that the batch before woke run first, two turns after it (watchMachines): while this batch is not
    // durable, each of their reads costs more.
    for (let turn = 0; turn < 2; turn++)
      await new Promise<void>((resolve) => call.services.nextTurn(resolve));
    try {
      all.push(...(await changeModel(call, (tx) => addUnits(tx, { ...units, count, placement }))));
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(
        error.code,
        `${error.message} (${all.length} of ${units.count} units of ${units.application} were added before the error and are kept)`,
      );
    }
  }
  return all;
}
