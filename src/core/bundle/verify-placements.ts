import { formatBase, sameBase, type Base } from '../base.ts';
import { componentsOf } from '../components.ts';
import type { Bundle, BundleApplication, BundlePlacement } from './bundle.ts';
import { formatBundlePlacement } from './placement.ts';
import { ownValue } from './own.ts';

/** Problems of placements and machines. */
export function verifyPlacements(
  bundle: Bundle,
  isSubordinate: (application: string) => boolean | undefined,
): string[] {
  const problems = Object.entries(bundle.applications).flatMap(([name, application]) => {
    const path = `applications.${name}.to`;
    const { to, units } = application;
    if (isSubordinate(name) === true) return [];
    const wrongTargets = new Set(
      to.flatMap((placement) =>
        wrongTarget(bundle, name, application, placement, isSubordinate).map(
          (why) => `${path}: "${formatBundlePlacement(placement)}": ${why}`,
        ),
      ),
    );
    const tooMany = to.length > units ? [`${path}: ${to.length} placements, but num_units is ${units}`] : [];
    return [...wrongTargets, ...tooMany];
  });
  return [...problems, ...unusedMachines(bundle), ...circles(bundle)];
}

function wrongTarget(
  bundle: Bundle,
  name: string,
  application: BundleApplication,
  { container, on }: BundlePlacement,
  isSubordinate: (application: string) => boolean | undefined,
): string[] {
  const baseOf = ({ base }: { readonly base?: Base }): Base | undefined => base ?? bundle.defaultBase;
  const otherBase = (target: string, targetBase: Base | undefined): string[] => {
    const applicationBase = baseOf(application);
    // A container has a base of its own.
    if (container !== undefined || !applicationBase || !targetBase || sameBase(applicationBase, targetBase))
      return [];
    return [`${target} is ${formatBase(targetBase)}, ${name} is ${formatBase(applicationBase)}`];
  };
  if (on.kind === 'machine') {
    const machine = ownValue(bundle.machines, on.machine);
    return machine
      ? otherBase(`machine ${on.machine}`, baseOf(machine))
      : [`the file has no machine ${on.machine}`];
  }
  if (on.kind !== 'unit') return [];
  const targetApplication = ownValue(bundle.applications, on.application);
  if (!targetApplication) return [`the file has no application ${on.application}`];
  if (on.application === name) return ['units cannot be placed on their own application'];
  if (isSubordinate(on.application) === true) return [`${on.application} is a subordinate`];
  if (on.unit !== undefined && on.unit >= targetApplication.units)
    return [
      `num_units of ${on.application} is ${targetApplication.units}, and the first is ${on.application}/0`,
    ];
  return otherBase(on.application, baseOf(targetApplication));
}

/** An unused machine is a mistake in the bundle, as in Juju. */
function unusedMachines({ applications, machines }: Bundle): string[] {
  const used = new Set(
    Object.values(applications).flatMap(({ to }) =>
      to.flatMap(({ on }) => (on.kind === 'machine' ? [on.machine] : [])),
    ),
  );
  return Object.keys(machines)
    .filter((machine) => !used.has(machine))
    .map((machine) => `machines.${machine}: no unit is placed on it`);
}

/** Applications that are placed on each other: a circle for each group of them. */
function circles({ applications }: Bundle): string[] {
  const targets = (name: string): string[] =>
    (ownValue(applications, name)?.to ?? []).flatMap(({ on }) =>
      on.kind === 'unit' && on.application !== name ? [on.application] : [],
    );
  return componentsOf(Object.keys(applications), targets)
    .filter((group) => group.length > 1)
    .map((group) => circleIn(new Set(group), targets).join(' → '))
    .map((circle) => `applications: placed on each other in a circle: ${circle}`);
}

/** Returns one circle among applications of which each leads to all others, with its first name at its end too. */
function circleIn(group: ReadonlySet<string>, targets: (name: string) => readonly string[]): string[] {
  const way = new Set<string>();
  let [next] = group;
  while (next !== undefined && !way.has(next)) {
    way.add(next);
    next = targets(next).find((target) => group.has(target));
  }
  const names = [...way];
  return next === undefined ? names : [...names.slice(names.indexOf(next)), next];
}
