import { mergeConstraints, type ConstraintConflict } from '../../../core/constraints.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Placement } from '../../../core/placement.ts';
import { addUnitStorage, type StorageRules } from './add-storage.ts';
import { checkPlacement, placeUnits, type ToPlace } from './place-units.ts';
import { aliveModel, mustGet, takeNumbers, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

const noPorts: UnitDoc['ports'] = Object.freeze({});

export interface AddedUnit {
  readonly unit: string;
  /** Machine of the unit; absent while the unit waits for its application's requirements. */
  readonly machine?: string;
  /** True when the unit took a spare machine. */
  readonly reused: boolean;
}

/**
 * Adds principal units: the given placements apply in order, the remaining units go to new machines, or to spare
 * machines with `reuse`. The units' constraints are captured now: the application's over the model's
 * (placing.md#capture). Units of a pending application are placed when its requirements are met; impossible placements
 * are refused now.
 * Errors: `not found`, `quota limit exceeded`, '' (subordinate, dying application or model), those of addUnitStorage
 * and checkPlacement.
 */
export function addUnits(
  tx: Tx,
  args: {
    application: string;
    count: number;
    placement: readonly Placement[];
    /** Container types that the cloud supports (Environ.containers). */
    containerTypes?: readonly string[];
    /** Conflicts of the cloud's constraints. */
    conflicts?: readonly ConstraintConflict[];
    /** Allows units without a placement to take machines that never had a unit. */
    reuse?: boolean;
    /** Existing storage that the only unit takes over. */
    attachStorage?: readonly string[];
    storageRules?: StorageRules;
  },
): AddedUnit[] {
  const application = mustGet(tx, 'application', args.application);
  if (application.life !== 'alive')
    throw new JujuError(
      '',
      `cannot add unit to application "${application.name}": application is not found or not alive`,
    );
  if (application.subordinate)
    throw new JujuError(
      '',
      `cannot add unit to application "${application.name}": application is a subordinate`,
    );
  if (!Number.isInteger(args.count) || args.count < 1)
    throw new JujuError('bad request', 'must add at least one unit');
  if (args.attachStorage?.length && args.count !== 1)
    throw new JujuError('', 'storage can be attached to one new unit only');

  const model = aliveModel(tx);
  const constraints = mergeConstraints(model.constraints, application.constraints, args.conflicts);
  const { containerTypes = [], reuse = false, attachStorage: attach } = args;
  const storage = defined({ attach, providers: args.storageRules?.providers });
  const first = takeNumbers(tx, `unit ${application.name}`, args.count);
  const contents = defined({
    charmModifiedVersion: application.rollout?.resources && application.charmModifiedVersion,
  });
  const createdAt = tx.now;
  const units = Array.from({ length: args.count }, (_, n): ToPlace => {
    const unit: UnitDoc = {
      name: `${application.name}/${first + n}`,
      application: application.name,
      life: 'alive',
      charmUrl: application.charmUrl,
      ...contents,
      base: application.base,
      constraints,
      resolved: '',
      // The object is shared by all units, like the constraints: copies would be measured, compared and kept each.
      ports: noPorts,
      workloadVersion: '',
      deployed: false,
      createdAt,
    };
    if (application.storage || attach) addUnitStorage(tx, unit, application, storage);
    const placement = args.placement[n];
    return { unit, reuse, placement };
  });
  if (!application.pending) return placeUnits(tx, application, units, containerTypes);
  return units.map(({ unit, placement }) => {
    checkPlacement(tx, application, { placement, constraints, containerTypes });
    const unplaced = defined({ placement, reuse: reuse || undefined });
    tx.put('unit', unit.name, { ...unit, unplaced });
    return { unit: unit.name, reused: false };
  });
}
