import { sameBase } from '../../core/base.ts';
import { mergeConstraints, type ConstraintConflict, type Constraints } from '../../core/constraints.ts';
import type { ApplicationDoc, MachineDoc } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import { checkPlacedOn } from '../../core/machine/check-placed-on.ts';
import { orderSpares } from '../../core/machine/order-spares.ts';
import { machineSatisfies } from '../../core/machine/satisfies.ts';
import { containerTypeOf, machineScope, placedOn, type Placement } from '../../core/placement.ts';
import { needsHost, newMachine } from './new-machine.ts';
import { aliveModel, mustGet, statusOf, takeNumbers, type Tx } from './tx.ts';

export interface AddedUnit {
  readonly unit: string;
  readonly machine: string;
  /** It took a spare machine. */
  readonly reused: boolean;
}

/**
 * Adds principal units; one placement per unit in order, the rest on new machines, or spare ones with `reuse`. The
 * unit's constraints are captured now: the application's over the model's (domain-facts §3.3).
 * Errors: `not found`, '' (subordinate, dying application or model, base).
 */
export function addUnits(
  tx: Tx,
  args: {
    application: string;
    count: number;
    placement: readonly Placement[];
    /** Those that the cloud has (Environ.containers). */
    containerTypes?: readonly string[];
    /** Of the cloud's constraints. */
    conflicts?: readonly ConstraintConflict[];
    /** Units that are placed nowhere may take machines that never had one. */
    reuse?: boolean;
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

  const model = aliveModel(tx);
  const constraints = mergeConstraints(model.constraints, application.constraints, args.conflicts);
  const named = new Set(args.placement.flatMap((one) => placedOn(one) ?? []));
  const spares = args.reuse
    ? spareMachines(tx, application, constraints).filter(({ id }) => !named.has(id))
    : [];
  const placed = Array.from({ length: args.count }, (_, n) => args.placement[n]);
  const unplaced = placed.filter((placement) => !placement).length;
  const onMachines = placed.filter((placement) => !needsHost(placement)).length;
  const reused = Math.min(spares.length, unplaced);
  // All at once: one by one the sequence would be written as often as there are units.
  let machineNumber = takeNumbers(tx, 'machine', args.count - onMachines - reused);
  const first = takeNumbers(tx, `unit ${application.name}`, args.count);
  const added: AddedUnit[] = [];
  for (let n = 0; n < args.count; n++) {
    const name = `${application.name}/${first + n}`;
    const placement = placed[n];
    const spare = placement ? undefined : spares.shift();
    const machine =
      namedMachine(tx, placement, application, constraints) ??
      spare ??
      newMachine(
        tx,
        {
          base: application.base,
          constraints,
          placement: inContainer(placement, constraints),
          removeWhenEmpty: true,
          clean: false,
          containerTypes: args.containerTypes ?? [],
        },
        needsHost(placement) ? machineNumber++ : undefined,
      );
    if (machine.clean) tx.put('machine', machine.id, { ...machine, clean: false });
    tx.put('unit', name, {
      name,
      application: application.name,
      life: 'alive',
      machine: machine.id,
      charmUrl: application.charmUrl,
      base: application.base,
      constraints,
      resolved: '',
      ports: {},
      workloadVersion: '',
      deployed: false,
      createdAt: tx.now,
    });
    added.push({ unit: name, machine: machine.id, reused: machine === spare });
  }
  return added;
}

/** Machines that never had a unit and fit, in the order in which they are taken (domain-facts §3.5). */
function spareMachines(tx: Tx, application: ApplicationDoc, constraints: Constraints): MachineDoc[] {
  const type = containerTypeOf(undefined, constraints);
  const fitting = [...tx.find('machine', 'clean', 'clean')].filter(
    (machine) =>
      machine.life === 'alive' &&
      !machine.isController &&
      machine.containerType === type &&
      sameBase(machine.base, application.base) &&
      !useless.includes(statusOf(tx, 'instance', machine.id, machine.createdAt).status) &&
      machineSatisfies(constraints, {
        constraints: machine.constraints,
        ...(machine.instance ? { hardware: machine.instance.hardware } : {}),
      }),
  );
  if (fitting.length === 0) return [];
  const population = new Map<string, number>();
  for (const { machine: id } of tx.find('unit', 'application', application.name)) {
    const zone = zoneOf(id === undefined ? undefined : tx.get('machine', id));
    population.set(zone, (population.get(zone) ?? 0) + 1);
  }
  const spares = fitting.map((machine) => ({
    id: machine.id,
    provisioned: machine.instance !== undefined,
    zone: zoneOf(machine),
    machine,
  }));
  return orderSpares(spares, population).map(({ machine }) => machine);
}

/** Of an instance that nothing can run on until somebody repairs it. */
const useless = ['error', 'provisioning error', 'lost'];

function zoneOf(machine: MachineDoc | undefined): string {
  return machine?.zone ?? machine?.instance?.hardware.availabilityZone ?? '';
}

/** The machine itself that is named; a container that is wanted there is another. */
function namedMachine(
  tx: Tx,
  placement: Placement | undefined,
  application: ApplicationDoc,
  constraints: Constraints,
): MachineDoc | undefined {
  if (placement?.scope !== machineScope) return undefined;
  const id = placement.directive;
  const machine = tx.get('machine', id);
  checkPlacedOn(id, machine);
  const type = containerTypeOf(undefined, constraints);
  if (type !== undefined && type !== machine.containerType) return undefined;
  checkPlacedOn(id, machine, application);
  return machine;
}

/** `container=lxd` on a named machine is a container there: a directive drops no constraint. */
function inContainer(placement: Placement | undefined, constraints: Constraints): Placement | undefined {
  const type = containerTypeOf(placement, constraints);
  if (placement?.scope !== machineScope || type === undefined) return placement;
  return { scope: type, directive: placement.directive };
}
