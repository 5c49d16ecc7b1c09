/**
 * Placements of a bundle's units: each unit is added after the unit whose machine it shares, and after the machines
 * that it names.
 */
import { formatBase, sameBase, type Base } from '../base.ts';
import { JujuError, notValid } from '../errors.ts';
import type { Bundle } from './bundle.ts';
import type { BundleModel } from './bundle-model.ts';
import { ownValue } from './own.ts';
import { machineLabel, machineOfUnit, machinesByLabel, placementOf, unitLabel } from './map-machines.ts';
import {
  machineAnnotation,
  type AddMachineStep,
  type AddUnitStep,
  type MachineRef,
  type UnitPlacement,
  type UnitRef,
} from './step.ts';

interface UnitsToPlan {
  readonly bundle: Bundle;
  readonly model: BundleModel;
  /** Machine of the bundle → machine of the model; machines without an entry are to be made. */
  readonly machines: ReadonlyMap<string, string>;
  /** Bases of the bundle's machines and of its applications. */
  readonly bases: {
    readonly machines: Readonly<Record<string, Base>>;
    readonly applications: Readonly<Record<string, Base>>;
  };
  /** Applications whose units stay unplaced when they are added. */
  readonly waits: ReadonlySet<string>;
  /** Value as in BundleToPlan. */
  readonly scales?: true;
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
  readonly #nextIndex = new Map<string, number>();
  readonly #applicationsOnStack = new Set<string>();
  /** Unit → the unit whose machine it is placed on. */
  readonly #targets = new Map<string, UnitRef>();
  /** New units whose machines others are placed on. */
  readonly #shared = new Set<string>();
  /** Machines of waiting units in `#shared`; nothing else would make them. */
  readonly #places = new Map<string, MachineRef>();
  readonly #machinesByLabel: ReadonlyMap<string, string>;

  constructor(args: UnitsToPlan) {
    this.#args = args;
    this.#machinesByLabel = machinesByLabel(args.model);
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
      this.#nextIndex.set(name, this.#unitsInModel(name));
      this.#noteTargets(name);
    }
    for (const name of applications)
      this.#addThrough({ application: name, index: this.#unitsInBundle(name) - 1 });
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
      const unit = { application, index: this.#nextIndex.get(application) ?? 0 };
      if (unit.index > top.index) {
        this.#applicationsOnStack.delete(application);
        stack.pop();
        continue;
      }
      this.#applicationsOnStack.add(application);
      const missingTarget = this.#notYetAdded(unit);
      if (missingTarget && this.#applicationsOnStack.has(missingTarget.application))
        throw notValid(`the units of application "${missingTarget.application}" are placed in a circle`);
      if (missingTarget) stack.push(missingTarget);
      else {
        this.#add(unit);
        this.#nextIndex.set(application, unit.index + 1);
      }
    }
  }

  /** The new unit whose machine the unit is placed on, if that one has to be added first. */
  #notYetAdded(unit: UnitRef): UnitRef | undefined {
    const target = this.#targets.get(unitLabel(unit));
    if (!target || target.index >= this.#unitsInBundle(target.application)) return undefined;
    return target.index >= (this.#nextIndex.get(target.application) ?? 0) ? target : undefined;
  }

  #add(unit: UnitRef): void {
    const waits = this.#args.waits.has(unit.application);
    let placement = this.#resolve(unit);
    if (waits && this.#shared.has(unitLabel(unit))) {
      const place = this.#placeOf(unit, placement);
      this.#places.set(unitLabel(unit), place);
      placement = { on: place };
    }
    this.#steps.push({ kind: 'add-unit', unit, at: placement, waits });
  }

  /** The machine, found or made, of a unit whose machine others are placed on. */
  #placeOf(unit: UnitRef, placement: UnitPlacement): MachineRef {
    const { on } = placement;
    if (placement.container === undefined && on.kind !== 'new' && on.kind !== 'directive') return on;
    const id = this.#machinesByLabel.get(unitLabel(unit));
    if (id !== undefined) return { kind: 'machine', id };
    const { bundle, bases } = this.#args;
    const { container: _, ...constraints } =
      ownValue(bundle.applications, unit.application)?.constraints ?? {};
    const step = `machine for ${unitLabel(unit)}`;
    this.#steps.push({
      kind: 'add-machine',
      id: step,
      for: { unit },
      at: placement,
      base: known(ownValue(bases.applications, unit.application)),
      constraints,
      annotations: { [machineAnnotation]: unitLabel(unit) },
    });
    return { kind: 'made', step };
  }

  #resolve(unit: UnitRef): UnitPlacement {
    const placement = placementOf(this.#args.bundle, unit);
    if (!placement) return { on: { kind: 'new' } };
    const { container, on } = placement;
    const inContainer = container === undefined ? {} : { container };
    switch (on.kind) {
      case 'new':
      case 'directive':
        return { ...inContainer, on };
      case 'machine':
        if (container === undefined) this.#checkMachine(unit, on.machine);
        return { ...inContainer, on: this.#machine(on.machine) };
      case 'unit': {
        const target = known(this.#targets.get(unitLabel(unit)));
        if (container === undefined) this.#checkBase(unit, target.application);
        return { ...inContainer, on: this.#machineOf(unit, target) };
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
    for (let index = 0; index < this.#unitsInBundle(application); index++) {
      const placement = placementOf(this.#args.bundle, { application, index });
      if (placement?.on.kind !== 'unit') continue;
      const { application: targetApplication, unit } = placement.on;
      const targetKey = `${placement.container ?? ''}:${targetApplication}`;
      const turn = turns.get(targetKey) ?? 0;
      if (unit === undefined) turns.set(targetKey, turn + 1);
      const count = Math.max(
        this.#unitsInModel(targetApplication),
        this.#unitsInBundle(targetApplication),
        1,
      );
      const target = { application: targetApplication, index: unit ?? turn % count };
      this.#targets.set(unitLabel({ application, index }), target);
      if (index >= this.#unitsInModel(application)) this.#shared.add(unitLabel(target));
    }
  }

  #machineOf(unit: UnitRef, target: UnitRef): MachineRef {
    const name = unitLabel(target);
    const refuse = (reason: string): JujuError =>
      new JujuError('', `unit ${unitLabel(unit)} is to be placed where ${name} is: ${reason}`);
    if (target.index < this.#unitsInModel(target.application)) {
      const id = machineOfUnit(this.#args.model, target);
      if (id !== undefined) return { kind: 'machine', id };
      throw refuse('that unit is pending and has no machine yet; place both on a machine of the file');
    }
    const count = this.#unitsInBundle(target.application);
    if (target.index >= count)
      throw refuse(`application "${target.application}" has ${count} unit${count === 1 ? '' : 's'}`);
    return this.#places.get(name) ?? { kind: 'of-unit', unit: target };
  }

  #checkMachine({ application }: UnitRef, number: string): void {
    const id = this.#args.machines.get(number);
    const { machines, applications } = this.#args.bases;
    const targetBase = known(id === undefined ? machines[number] : this.#args.model.machines[id]?.base);
    this.#refuseOtherBase(
      `machine ${number}`,
      targetBase,
      application,
      known(ownValue(applications, application)),
    );
  }

  #checkBase({ application }: UnitRef, target: string): void {
    const { applications } = this.#args.bases;
    const targetBase = known(ownValue(applications, target));
    this.#refuseOtherBase(
      `application "${target}"`,
      targetBase,
      application,
      known(ownValue(applications, application)),
    );
  }

  #refuseOtherBase(target: string, targetBase: Base, application: string, base: Base): void {
    if (sameBase(targetBase, base)) return;
    throw new JujuError(
      'incompatible base',
      `base does not match: ${target} has ${formatBase(targetBase)}, application "${application}" ${formatBase(base)}`,
    );
  }

  /** The number of units that the model has, and keeps. */
  #unitsInModel(application: string): number {
    const { model, scales } = this.#args;
    const units = ownValue(model.units, application)?.length ?? 0;
    return scales ? Math.min(units, this.#unitsInBundle(application)) : units;
  }

  #unitsInBundle(application: string): number {
    return ownValue(this.#args.bundle.applications, application)?.units ?? 0;
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
