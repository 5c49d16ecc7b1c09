import type { Base } from '../../core/base.ts';
import { mergeConstraints, type Constraints } from '../../core/constraints.ts';
import type { MachineDoc } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import type { Placement } from '../../core/placement.ts';
import { aliveModel, takeNumbers, type Tx } from './tx.ts';

/**
 * add-machine: a machine without a unit copies the model's constraints under its own, also when it is placed.
 * Errors: 'bad request' (placement on a machine), 'not supported' (containers), '' (dying model).
 */
export function addMachine(
  tx: Tx,
  args: { base: Base; constraints: Constraints; placement?: Placement; removeWhenEmpty: boolean },
): MachineDoc {
  if (args.placement?.scope === '#')
    throw new JujuError('bad request', 'machine-id cannot be specified when adding machines');
  const model = aliveModel(tx);
  return newMachine(tx, {
    ...args,
    placement: args.placement,
    constraints: mergeConstraints(model.constraints, args.constraints),
    clean: true,
  });
}

/** The record only: the provisioner makes the instance. `number`: when it was taken already. */
export function newMachine(
  tx: Tx,
  args: {
    base: Base;
    constraints: Constraints;
    placement: Placement | undefined;
    removeWhenEmpty: boolean;
    clean: boolean;
  },
  number = takeNumbers(tx, 'machine'),
): MachineDoc {
  const { placement, constraints } = args;
  if (placement && placement.scope !== tx.space)
    throw new JujuError(
      'not supported',
      `cannot place on "${placement.scope}${placement.directive ? `:${placement.directive}` : ''}": this cloud has no containers of that type`,
    );
  if (constraints.container && constraints.container !== 'none')
    throw new JujuError(
      'not supported',
      `container constraint "${constraints.container}" not supported by this cloud`,
    );
  const id = String(number);
  const machine: MachineDoc = {
    id,
    life: 'alive',
    base: args.base,
    constraints,
    ...(placement ? { placement } : {}),
    addresses: [],
    hostname: '',
    removeWhenEmpty: args.removeWhenEmpty,
    clean: args.clean,
    keepInstance: false,
    isController: false,
    createdAt: tx.now,
  };
  tx.put('machine', id, machine);
  return machine;
}
