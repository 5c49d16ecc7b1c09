import type { Bundle, BundleApplication, BundleMachine } from '../bundle/bundle.ts';
import { ownValue } from '../bundle/own.ts';
import { formatConstraints, mergeConstraints, type Constraints } from '../constraints.ts';
import type { ModelFile } from './model-file.ts';
import type { LiveModel } from './plan.ts';

/**
 * The file that would make the model: what was set or made, without the contents of secrets. The plan of it has no
 * steps. Machines that are of one unit alone are left out, so that the number of units may be edited.
 */
export function fileOf(live: Omit<LiveModel, 'owned'>, name: string): ModelFile {
  const { bundle, settings, constraints, access, secrets, storagePools } = live;
  return {
    bundle: { name, ...withoutOwnMachines(bundle.state, constraints) },
    unscaled: new Set(),
    settings,
    ...(Object.keys(constraints).length > 0 ? { constraints } : {}),
    access,
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([secret, { description, grants }]) => [secret, { description, grants }]),
    ),
    storagePools,
  };
}

function withoutOwnMachines(bundle: Bundle, modelConstraints: Constraints): Bundle {
  const users = new Map<string, number>();
  for (const { to } of Object.values(bundle.applications))
    for (const { on } of to)
      if (on.kind === 'machine') users.set(on.machine, (users.get(on.machine) ?? 0) + 1);
  const left = new Set<string>();
  const applications = Object.entries(bundle.applications).map(([name, application]) => {
    const asked = formatConstraints(mergeConstraints(modelConstraints, application.constraints));
    const isOwn = application.to.every(({ container, on }) => {
      if (container !== undefined || on.kind !== 'machine' || users.get(on.machine) !== 1) return false;
      const machine = ownValue(bundle.machines, on.machine);
      return machine !== undefined && isPlain(machine, application, asked);
    });
    if (!isOwn) return [name, application] as const;
    for (const { on } of application.to) if (on.kind === 'machine') left.add(on.machine);
    return [name, { ...application, to: [] }] as const;
  });
  return {
    ...bundle,
    applications: Object.fromEntries(applications),
    machines: Object.fromEntries(Object.entries(bundle.machines).filter(([id]) => !left.has(id))),
  };
}

/** Whether a new unit's machine would be like this one. */
function isPlain(machine: BundleMachine, { base }: BundleApplication, asked: string): boolean {
  return (
    Object.keys(machine.annotations).length === 0 &&
    JSON.stringify(machine.base) === JSON.stringify(base) &&
    formatConstraints(machine.constraints) === asked
  );
}
