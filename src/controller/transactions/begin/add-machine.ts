import type { Base } from '../../../core/base.ts';
import { machineAnnotation } from '../../../core/bundle/step.ts';
import { mergeConstraints, type ConstraintConflict, type Constraints } from '../../../core/constraints.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { machineScope, type Placement } from '../../../core/placement.ts';
import { newMachine } from './new-machine.ts';
import { machineTag } from '../../../wire/tags.ts';
import { setAnnotations } from '../set/set-annotations.ts';
import { aliveModel, type Tx } from '../tx.ts';

/**
 * add-machine: the constraints of a machine without a unit are merged over the model's, also when the machine is
 * placed.
 * Errors: 'bad request' (placement on a machine), '' (dying model), and as newMachine.
 */
export function addMachine(
  tx: Tx,
  args: {
    base: Base;
    constraints: Constraints;
    placement?: Placement;
    removeWhenEmpty: boolean;
    /** Annotations by which a client finds its machines again after it was killed. */
    annotations?: Readonly<Record<string, string>>;
    containerTypes?: readonly string[];
    /** Conflicts of the cloud's constraints. */
    conflicts?: readonly ConstraintConflict[];
  },
): MachineDoc {
  if (args.placement?.scope === machineScope)
    throw new JujuError('bad request', 'machine-id cannot be specified when adding machines');
  // Containers are created by placement here; the model's `container` constraint applies to units.
  const { container: _, ...constraints } = mergeConstraints(
    aliveModel(tx).constraints,
    args.constraints,
    args.conflicts,
  );
  const { placement, removeWhenEmpty, base, containerTypes = [], annotations = {} } = args;
  const machine = newMachine(tx, {
    placement,
    removeWhenEmpty,
    base,
    constraints,
    // Machines created for a bundle's units are not offered to other units as spare machines.
    clean: !Object.hasOwn(annotations, machineAnnotation),
    containerTypes,
  });
  if (Object.keys(annotations).length > 0)
    setAnnotations(tx, { tag: machineTag(machine.id), values: annotations });
  return machine;
}
