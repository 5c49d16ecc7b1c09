import type { Base } from '../base.ts';
import type { Bundle } from '../bundle/bundle.ts';
import type { BundleModel } from '../bundle/bundle-model.ts';
import { ownValue } from '../bundle/own.ts';
import type { AddMachineStep, AddUnitStep, DeployStep, UnitPlacement, UnitRef } from '../bundle/step.ts';
import { unitName } from '../bundle/unit-name.ts';
import { formatBase } from '../base.ts';
import { mergeConstraints, type Constraints } from '../constraints.ts';
import { defined } from '../defined.ts';
import { hostOf } from '../names.ts';
import type { MachineAsked } from './plan.ts';
import type { ModelStep } from './step.ts';

interface Around {
  readonly bundle: Bundle;
  readonly model: BundleModel;
  readonly modelConstraints: Constraints;
  readonly nameOf: (unit: UnitRef) => string;
}

/** The machines that steps would have made: those of new units, and those that are made to place others on. */
export function machinesAsked(steps: readonly ModelStep[], around: Around): MachineAsked[] {
  const { bundle, model, modelConstraints, nameOf } = around;
  const deployed = new Map<string, DeployStep>();
  const bases = new Map<string, Base>();
  return steps.flatMap((step): MachineAsked[] => {
    if (step.kind === 'deploy') deployed.set(step.application, step);
    if (step.kind === 'set-base') bases.set(step.application, step.base);
    if (step.kind === 'add-machine') return [ofMachine(step, modelConstraints, nameOf)];
    if (step.kind !== 'add-unit' || !makesMachine(step.at)) return [];
    const { application } = step.unit;
    const has = ownValue(model.state.applications, application);
    const base =
      bases.get(application) ?? deployed.get(application)?.base ?? has?.base ?? model.state.defaultBase;
    const wanted = ownValue(bundle.applications, application)?.constraints ?? {};
    const own = Object.keys(wanted).length > 0 ? wanted : (has?.constraints ?? {});
    return [
      {
        for: nameOf(step.unit),
        ...defined({ base: base && formatBase(base) }),
        constraints: mergeConstraints(modelConstraints, own),
        ...where(step, nameOf),
        waits: step.waits,
      },
    ];
  });
}

function ofMachine(
  step: AddMachineStep,
  modelConstraints: Constraints,
  nameOf: (unit: UnitRef) => string,
): MachineAsked {
  return {
    for: 'machine' in step.for ? `machine ${step.for.machine}` : nameOf(step.for.unit),
    base: formatBase(step.base),
    constraints: mergeConstraints(modelConstraints, step.constraints),
    ...where(step, nameOf),
    waits: false,
  };
}

function makesMachine({ container, on }: UnitPlacement): boolean {
  return container !== undefined || on.kind === 'new' || on.kind === 'directive';
}

function where(
  { at: { container, on } }: Pick<AddMachineStep | AddUnitStep, 'at'>,
  nameOf: (unit: UnitRef) => string,
): Pick<MachineAsked, 'container' | 'directive'> {
  if (container === undefined) return on.kind === 'directive' ? { directive: on.directive } : {};
  return { container: { type: container, on: hostText(on, nameOf) } };
}

function hostText(on: UnitPlacement['on'], nameOf: (unit: UnitRef) => string): string {
  switch (on.kind) {
    case 'new':
      return 'new';
    case 'directive':
      return on.directive;
    case 'machine':
      return `machine ${hostOf(on.id)}`;
    case 'made':
      return `new ${on.step}`;
    case 'of-unit':
      return `the machine of ${nameOf(on.unit)}`;
  }
}

/**
 * Names of units as the model has them, and as new ones will probably be named: an application that takes the place of
 * another counts on from the units of that one.
 */
export function namesIn(
  { units }: Pick<BundleModel, 'units'>,
  replaced: readonly string[],
): (unit: UnitRef) => string {
  const known = new Map(
    Object.entries(units).map(([application, all]) => {
      const alive = replaced.includes(application)
        ? []
        : all.filter(({ dying }) => !dying).map(({ name }) => name);
      return [application, { alive, last: all.at(-1)?.name }];
    }),
  );
  return (unit) => {
    const { alive = [], last } = known.get(unit.application) ?? {};
    return unitName(alive, unit, last);
  };
}
