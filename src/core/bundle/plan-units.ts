/**
 * Placements of a bundle's units: each unit is added after the unit whose machine it shares, and after the machines
 * that it names.
 */
import { formatBase, sameBase, type Base } from '../base.ts';
import { JujuError, notValid } from '../errors.ts';
import type { Bundle } from './bundle.ts';
import type { BundleModel } from './bundle-model.ts';
import { own } from './own.ts';
import { machineLabel, machineOfUnit, madeMachines, placementOf, unitLabel } from './map-machines.ts';
import {
  machineAnnotation,
  type AddMachineStep,
  type AddUnitStep,
  type MachineRef,
  type UnitPlacement,
  type UnitRef,
} from './step.ts';

export interface UnitsToPlan {
  readonly bundle: Bundle;
  readonly model: BundleModel;
  /** Machine of the bundle → of the model; the others are to be made. */
  readonly machines: ReadonlyMap<string, string>;
  /** Bases of the bundle's machines and of its applications. */
  readonly bases: {
    readonly machines: Readonly<Record<string, Base>>;
    readonly applications: Readonly<Record<string, Base>>;
  };
  /** Applications whose units stay unplaced when they are added. */
  readonly waits: ReadonlySet<string>;
}

/**
 * The steps that add machines and units: machines first, by number; units by the names of their applications. Errors:
 * `not valid`, ''.
 */
export function planUnits(args: UnitsToPlan): (AddMachineStep | AddUnitStep)[] {
  return new UnitPlanner(args).plan();
}

class UnitPlanner {
  readonly #args: UnitsToPlan;
  readonly #steps: (AddMachineStep | AddUnitStep)[] = [];
  /** Application → the index of its next unit. */
  readonly #next = new Map<string, number>();
  readonly #going = new Set<string>();
  /** Unit → the unit whose machine it is placed on. */
  readonly #targets = new Map<string, UnitRef>();
  /** New units whose machines others are placed on. */
  readonly #shared = new Set<string>();
  /** Machines of waiting units in `#shared`; nothing else would make them. */
  readonly #places = new Map<string, MachineRef>();
  readonly #made: ReadonlyMap<string, string>;

  constructor(args: UnitsToPlan) {
    this.#args = args;
    this.#made = madeMachines(args.model);
  }

  plan(): (AddMachineStep | AddUnitStep)[] {
    const { bundle, machines, bases } = this.#args;
    for (const [number, { constraints }] of byNumber(bundle.machines)) {
      const base = bases.machines[number];
      if (machines.has(number) || !base) continue;
      if (constraints.container)
        throw notValid(
          `machine ${number} cannot be a container: place units on ${constraints.container}:${number}`,
        );
      this.#steps.push({
        kind: 'add-machine',
        id: machineStep(number),
        for: { machine: number },
        at: { on: { kind: 'new' } },
        base,
        constraints,
        annotations: { [machineAnnotation]: machineLabel(bundle, number) },
      });
    }
    const applications = Object.keys(bundle.applications).sort();
    for (const name of applications) {
      this.#next.set(name, this.#has(name));
      this.#noteTargets(name);
    }
    for (const name of applications) this.#addThrough({ application: name, index: this.#wants(name) - 1 });
    return this.#steps;
  }

  /**
   * Adds units up to `last`, in the order of their numbers. The stack is explicit because a chain may be as long as the
   * bundle.
   */
  #addThrough(last: UnitRef): void {
    const stack = [last];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { application } = top;
      const unit = { application, index: this.#next.get(application) ?? 0 };
      if (unit.index > top.index) {
        this.#going.delete(application);
        stack.pop();
        continue;
      }
      this.#going.add(application);
      const first = this.#notYetAdded(unit);
      if (first && this.#going.has(first.application))
        throw notValid(`the units of application "${first.application}" are placed in a circle`);
      if (first) stack.push(first);
      else {
        this.#add(unit);
        this.#next.set(application, unit.index + 1);
      }
    }
  }

  /** The new unit whose machine the unit is placed on, if that one has to be added first. */
  #notYetAdded(unit: UnitRef): UnitRef | undefined {
    const target = this.#targets.get(unitLabel(unit));
    if (!target || target.index >= this.#wants(target.application)) return undefined;
    return target.index >= (this.#next.get(target.application) ?? 0) ? target : undefined;
  }

  #add(unit: UnitRef): void {
    const waits = this.#args.waits.has(unit.application);
    let at = this.#resolve(unit);
    if (waits && this.#shared.has(unitLabel(unit))) {
      const place = this.#placeOf(unit, at);
      this.#places.set(unitLabel(unit), place);
      at = { on: place };
    }
    this.#steps.push({ kind: 'add-unit', unit, at, waits });
  }

  /** The machine, found or made, of a unit whose machine others are placed on. */
  #placeOf(unit: UnitRef, at: UnitPlacement): MachineRef {
    const { on } = at;
    if (at.container === undefined && on.kind !== 'new' && on.kind !== 'directive') return on;
    const id = this.#made.get(unitLabel(unit));
    if (id !== undefined) return { kind: 'machine', id };
    const { bundle, bases } = this.#args;
    const { container: _, ...constraints } = own(bundle.applications, unit.application)?.constraints ?? {};
    const step = `machine for ${unitLabel(unit)}`;
    this.#steps.push({
      kind: 'add-machine',
      id: step,
      for: { unit },
      at,
      base: known(own(bases.applications, unit.application)),
      constraints,
      annotations: { [machineAnnotation]: unitLabel(unit) },
    });
    return { kind: 'made', step };
  }

  #resolve(unit: UnitRef): UnitPlacement {
    const placement = placementOf(this.#args.bundle, unit);
    if (!placement) return { on: { kind: 'new' } };
    const { container, on } = placement;
    const where = container === undefined ? {} : { container };
    switch (on.kind) {
      case 'new':
      case 'directive':
        return { ...where, on };
      case 'machine':
        if (container === undefined) this.#checkMachine(unit, on.machine);
        return { ...where, on: this.#machine(on.machine) };
      case 'unit': {
        const target = known(this.#targets.get(unitLabel(unit)));
        if (container === undefined) this.#checkBase(unit, target.application);
        return { ...where, on: this.#whereIs(unit, target) };
      }
    }
  }

  #machine(number: string): MachineRef {
    const id = this.#args.machines.get(number);
    return id === undefined ? { kind: 'made', step: machineStep(number) } : { kind: 'machine', id };
  }

  /**
   * Notes the target of each unit that is placed with another unit. A placement without a number takes the other
   * application's units in turn.
   */
  #noteTargets(application: string): void {
    const turns = new Map<string, number>();
    for (let index = 0; index < this.#wants(application); index++) {
      const placement = placementOf(this.#args.bundle, { application, index });
      if (placement?.on.kind !== 'unit') continue;
      const { application: other, unit } = placement.on;
      const way = `${placement.container ?? ''}:${other}`;
      const turn = turns.get(way) ?? 0;
      if (unit === undefined) turns.set(way, turn + 1);
      const count = Math.max(this.#has(other), this.#wants(other), 1);
      const target = { application: other, index: unit ?? turn % count };
      this.#targets.set(unitLabel({ application, index }), target);
      if (index >= this.#has(application)) this.#shared.add(unitLabel(target));
    }
  }

  #whereIs(unit: UnitRef, target: UnitRef): MachineRef {
    const name = unitLabel(target);
    const refuse = (why: string): JujuError =>
      new JujuError('', `unit ${unitLabel(unit)} is to be placed where ${name} is: ${why}`);
    if (target.index < this.#has(target.application)) {
      const id = machineOfUnit(this.#args.model, target);
      if (id !== undefined) return { kind: 'machine', id };
      throw refuse('that unit is pending and has no machine yet; place both on a machine of the bundle');
    }
    const count = this.#wants(target.application);
    if (target.index >= count)
      throw refuse(`application "${target.application}" has ${count} unit${count === 1 ? '' : 's'}`);
    return this.#places.get(name) ?? { kind: 'of-unit', unit: target };
  }

  #checkMachine({ application }: UnitRef, number: string): void {
    const id = this.#args.machines.get(number);
    const { machines, applications } = this.#args.bases;
    const has = known(id === undefined ? machines[number] : this.#args.model.machines[id]?.base);
    this.#refuseOther(`machine ${number}`, has, application, known(own(applications, application)));
  }

  #checkBase({ application }: UnitRef, target: string): void {
    const { applications } = this.#args.bases;
    const has = known(own(applications, target));
    this.#refuseOther(`application "${target}"`, has, application, known(own(applications, application)));
  }

  #refuseOther(what: string, has: Base, application: string, base: Base): void {
    if (sameBase(has, base)) return;
    throw new JujuError(
      'incompatible base',
      `base does not match: ${what} has ${formatBase(has)}, application "${application}" ${formatBase(base)}`,
    );
  }

  #has(application: string): number {
    return own(this.#args.model.units, application)?.length ?? 0;
  }

  #wants(application: string): number {
    return own(this.#args.bundle.applications, application)?.units ?? 0;
  }
}

function machineStep(number: string): string {
  return `machine ${number}`;
}

function byNumber<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => Number(a) - Number(b));
}

/** A value that the plan has for every machine and application of a verified bundle. */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a placement names what the bundle does not have');
  return value;
}
