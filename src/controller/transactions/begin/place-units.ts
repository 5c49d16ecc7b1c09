/** Placement of units on a named machine, a spare machine or a new one, for add-unit and for the unit placer. */
import { sameBase } from '../../../core/base.ts';
import type { Constraints } from '../../../core/constraints.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { askedSpaces } from '../../../core/application/bindings.ts';
import { spacesOfMachine } from '../../../core/network/address-space.ts';
import { checkPlacedOn } from '../../../core/machine/check-placed-on.ts';
import { orderSpares } from '../../../core/machine/order-spares.ts';
import { machineSatisfies } from '../../../core/machine/satisfies.ts';
import { containerTypeOf, machineScope, placedOn, type Placement } from '../../../core/placement.ts';
import { placeStorage } from './add-storage.ts';
import { checkNewMachine, needsHost, newMachine } from './new-machine.ts';
import { refuseInContainer } from './storage-in-containers.ts';
import { statusOf, takeNumbers, type Tx, type View } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

interface PlacedUnit {
  readonly unit: string;
  readonly machine: string;
  /** True when the unit took a spare machine. */
  readonly reused: boolean;
}

/** A principal unit to create, and the placement asked for it. */
export interface ToPlace {
  readonly unit: UnitDoc;
  readonly placement?: Placement | undefined;
  /** Allows the unit to take a machine that never had a unit. */
  readonly reuse: boolean;
}

/**
 * Writes the units, each with its machine. All units have the same constraints; a machine that one of them names is not
 * taken as a spare by another. Errors: as checkPlacement.
 */
export function placeUnits(
  tx: Tx,
  application: ApplicationDoc,
  units: readonly ToPlace[],
  containerTypes: readonly string[],
): PlacedUnit[] {
  const constraints = units[0]?.unit.constraints ?? {};
  const namedIds = new Set<string | undefined>();
  for (const { placement } of units) if (placement) namedIds.add(placedOn(placement));
  const reuseCount = units.filter(({ placement, reuse }) => !placement && reuse).length;
  const spares =
    reuseCount > 0 ? spareMachines(tx, application, constraints).filter(({ id }) => !namedIds.has(id)) : [];
  const newHostCount = units.filter(({ placement }) => needsHost(placement)).length;
  // Machine numbers are taken together: one by one, the sequence would be written once per unit.
  let number = takeNumbers(tx, 'machine', newHostCount - Math.min(spares.length, reuseCount));
  const machines = units.map(({ placement, reuse }) => {
    const spare = !placement && reuse ? spares.shift() : undefined;
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
          containerTypes,
        },
        needsHost(placement) ? number++ : undefined,
      );
    if (machine.clean) tx.put('machine', machine.id, { ...machine, clean: false });
    return { machine, reused: machine === spare };
  });
  // All machines come before all units: the store keeps documents of one kind that are added together in fewer rows.
  // A deploy of ten thousand units in a model without storage does not look for theirs.
  const hasStorage = tx.count('storage') > 0;
  return units.map(({ unit }, n) => {
    const { machine, reused } = machines[n]!;
    tx.put('unit', unit.name, { ...unit, machine: machine.id });
    if (machine.parent !== undefined) refuseInContainer(tx, unit.name);
    if (hasStorage) placeStorage(tx, { name: unit.name, machine: machine.id });
    return { unit: unit.name, machine: machine.id, reused };
  });
}

/**
 * Checks that a unit could be placed like that now.
 * Errors: `not found`, '' (a machine that is going, or cannot host), `incompatible base`, `not supported` and `not
 * valid` (type of container).
 */
export function checkPlacement(
  view: View,
  application: Pick<ApplicationDoc, 'name' | 'base'>,
  {
    placement,
    constraints,
    containerTypes,
    unit,
  }: {
    readonly placement: Placement | undefined;
    readonly constraints: Constraints;
    readonly containerTypes: readonly string[];
    /** Existing unit, whose storage counts. */
    readonly unit?: string;
  },
): void {
  const named = namedMachine(view, placement, application, constraints);
  const isInside = named ? named.parent !== undefined : containerTypeOf(placement, constraints) !== undefined;
  if (isInside && unit !== undefined) refuseInContainer(view, unit);
  if (named) return;
  checkNewMachine(view, { placement: inContainer(placement, constraints), constraints, containerTypes });
}

/** Spare machines that fit, in the order in which they are taken (placing.md#spare-machines). */
export function spareMachines(
  tx: View,
  application: Pick<ApplicationDoc, 'name' | 'base' | 'endpointBindings'>,
  constraints: Constraints,
): MachineDoc[] {
  const type = containerTypeOf(undefined, constraints);
  const wanted = withSpaces(constraints, askedSpaces(application.endpointBindings));
  const fitting = [...tx.find('machine', 'clean', 'clean')].filter(
    (machine) =>
      machine.life === 'alive' &&
      !machine.isController &&
      // A machine named by units that wait for their requirements counts as taken, like one named by placed units.
      tx.count('unit', 'named', machine.id) === 0 &&
      machine.containerType === type &&
      sameBase(machine.base, application.base) &&
      !unusableStatuses.includes(statusOf(tx, 'instance', machine.id, machine.createdAt).status) &&
      machineSatisfies(wanted, {
        constraints: machine.constraints,
        spaces: spacesOfMachine(machine.addresses, (cidr) => tx.get('subnet', cidr)),
        ...defined({ hardware: machine.instance?.hardware }),
      }),
  );
  if (fitting.length === 0) return [];
  const population = new Map<string, number>();
  for (const { machine: id } of tx.find('unit', 'application', application.name)) {
    if (id === undefined) continue;
    const zone = zoneOf(tx.get('machine', id));
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

/** Constraints with the spaces of bindings: a machine has to be in all of them. */
function withSpaces(constraints: Constraints, asked: ReadonlySet<string>): Constraints {
  if (asked.size === 0) return constraints;
  return { ...constraints, spaces: [...new Set([...(constraints.spaces ?? []), ...asked])] };
}

/** Instance statuses in which nothing can run on the machine until somebody repairs it. */
const unusableStatuses = ['error', 'provisioning error', 'lost'];

function zoneOf(machine: MachineDoc | undefined): string {
  return machine?.zone ?? machine?.instance?.hardware.availabilityZone ?? '';
}

/** The machine that the placement names itself; undefined when a container on that machine is wanted. */
function namedMachine(
  view: View,
  placement: Placement | undefined,
  application: Pick<ApplicationDoc, 'name' | 'base'>,
  constraints: Constraints,
): MachineDoc | undefined {
  if (placement?.scope !== machineScope) return undefined;
  const id = placement.directive;
  const machine = view.get('machine', id);
  checkPlacedOn(id, machine);
  const type = containerTypeOf(undefined, constraints);
  if (type !== undefined && type !== machine.containerType) return undefined;
  checkPlacedOn(id, machine, application);
  return machine;
}

/**
 * Applies `container=lxd` to a named machine: the unit gets a container there, since a directive drops no constraint.
 */
function inContainer(placement: Placement | undefined, constraints: Constraints): Placement | undefined {
  const type = containerTypeOf(placement, constraints);
  if (placement?.scope !== machineScope || type === undefined) return placement;
  return { scope: type, directive: placement.directive };
}
