/** Where units go: to the machine that is named, to a spare one, or to a new one. For add-unit, and for the unit placer. */
import { sameBase } from '../../../core/base.ts';
import type { Constraints } from '../../../core/constraints.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { checkPlacedOn } from '../../../core/machine/check-placed-on.ts';
import { orderSpares } from '../../../core/machine/order-spares.ts';
import { machineSatisfies } from '../../../core/machine/satisfies.ts';
import { containerTypeOf, machineScope, placedOn, type Placement } from '../../../core/placement.ts';
import { checkNewMachine, needsHost, newMachine } from './new-machine.ts';
import { statusOf, takeNumbers, type Tx, type View } from '../tx.ts';

export interface PlacedUnit {
  readonly unit: string;
  readonly machine: string;
  /** It took a spare machine. */
  readonly reused: boolean;
}

/** A principal as it is to be, and how it was asked to be placed. */
export interface ToPlace {
  readonly unit: UnitDoc;
  readonly placement?: Placement;
  /** It may take a machine that never had a unit. */
  readonly reuse: boolean;
}

/**
 * Writes the units, each with its machine. They have the same constraints; a machine that one of them names is no other's
 * spare. Errors: as checkPlacement.
 */
export function placeUnits(
  tx: Tx,
  application: ApplicationDoc,
  units: readonly ToPlace[],
  containerTypes: readonly string[],
): PlacedUnit[] {
  const constraints = units[0]?.unit.constraints ?? {};
  const named = new Set(units.flatMap(({ placement }) => (placement && placedOn(placement)) ?? []));
  const wanting = units.filter(({ placement, reuse }) => !placement && reuse).length;
  const spares =
    wanting > 0 ? spareMachines(tx, application, constraints).filter(({ id }) => !named.has(id)) : [];
  const onNew = units.filter(({ placement }) => needsHost(placement)).length;
  // All at once: one by one the sequence would be written as often as there are units.
  let number = takeNumbers(tx, 'machine', onNew - Math.min(spares.length, wanting));
  return units.map(({ unit, placement, reuse }) => {
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
    tx.put('unit', unit.name, { ...unit, machine: machine.id });
    return { unit: unit.name, machine: machine.id, reused: machine === spare };
  });
}

/**
 * Could a unit be placed like that now? Errors: `not found`, '' (a machine that is going, or cannot host),
 * `incompatible base`, `not supported` and `not valid` (type of container).
 */
export function checkPlacement(
  view: View,
  application: Pick<ApplicationDoc, 'name' | 'base'>,
  {
    placement,
    constraints,
    containerTypes,
  }: {
    readonly placement: Placement | undefined;
    readonly constraints: Constraints;
    readonly containerTypes: readonly string[];
  },
): void {
  if (namedMachine(view, placement, application, constraints)) return;
  checkNewMachine(view, { placement: inContainer(placement, constraints), constraints, containerTypes });
}

/** Spare machines that fit, in the order in which they are taken (placing.md#spare-machines). */
function spareMachines(tx: Tx, application: ApplicationDoc, constraints: Constraints): MachineDoc[] {
  const type = containerTypeOf(undefined, constraints);
  const fitting = [...tx.find('machine', 'clean', 'clean')].filter(
    (machine) =>
      machine.life === 'alive' &&
      !machine.isController &&
      // Those that wait for their requirements take what they named as much as those that do not.
      tx.count('unit', 'named', machine.id) === 0 &&
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

/** Of an instance that nothing can run on until somebody repairs it. */
const useless = ['error', 'provisioning error', 'lost'];

function zoneOf(machine: MachineDoc | undefined): string {
  return machine?.zone ?? machine?.instance?.hardware.availabilityZone ?? '';
}

/** The machine itself that is named; a container that is wanted there is another. */
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

/** `container=lxd` on a named machine is a container there: a directive drops no constraint. */
function inContainer(placement: Placement | undefined, constraints: Constraints): Placement | undefined {
  const type = containerTypeOf(placement, constraints);
  if (placement?.scope !== machineScope || type === undefined) return placement;
  return { scope: type, directive: placement.directive };
}
