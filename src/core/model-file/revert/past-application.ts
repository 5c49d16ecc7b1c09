/** An application as it was, in the words of a file, which says nothing of what it leaves to others. */
import { boundSpace } from '../../application/bindings.ts';
import type { Bundle, BundleApplication, BundlePlacement } from '../../bundle/bundle.ts';
import type { BundleModel } from '../../bundle/bundle-model.ts';
import { ownValue } from '../../bundle/own.ts';
import { hostOf } from '../../names.ts';

/** The bundle with each base where it holds, as a file that names none leaves the base as it is. */
export function withBases({ defaultBase, ...bundle }: Bundle): Bundle {
  if (!defaultBase) return bundle;
  const based = <T extends { readonly base?: Bundle['defaultBase'] }>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(all).map(([name, one]) => [name, { ...one, base: one.base ?? defaultBase }]),
    ) as Record<string, T>;
  return { ...bundle, applications: based(bundle.applications), machines: based(bundle.machines) };
}

/** The application as it was, so that what it has beyond that now is taken away. */
export function pastApplication(
  past: BundleApplication,
  has: BundleApplication | undefined,
  placements: readonly BundlePlacement[],
): BundleApplication {
  if (!has) return { ...past, to: placements };
  return {
    ...past,
    to: placements,
    annotations: { ...emptied(has.annotations), ...past.annotations },
    bindings: {
      ...Object.fromEntries(Object.keys(has.bindings).map((name) => [name, boundSpace(past.bindings, name)])),
      ...past.bindings,
    },
    ...(has.after ? { after: past.after ?? {} } : {}),
  };
}

/** Empty values, by which annotations are taken away. */
export function emptied(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(annotations).map((key) => [key, '']));
}

/**
 * The placements of the units that were, in the order of today's units, so that those that are missing come last. A
 * unit that is elsewhere counts for one that is missing: `moved` names it.
 */
export function alignedPlacements(
  application: string,
  past: readonly BundlePlacement[],
  { units }: Pick<BundleModel, 'units'>,
): { readonly to: readonly BundlePlacement[]; readonly moved: readonly string[] } {
  if (past.length === 0) return { to: [], moved: [] };
  const left = [...past];
  const now = (ownValue(units, application) ?? []).slice(0, past.length);
  const found = now.map(({ machine }) => {
    const at = machine === undefined ? -1 : left.findIndex((one) => isOn(one, machine));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
  const moved = now.filter(({ machine }, i) => machine !== undefined && !found[i]).map(({ name }) => name);
  const to = found.map((one) => one ?? left.shift()!);
  return { to: [...to, ...left], moved };
}

function isOn({ container, on }: BundlePlacement, machine: string): boolean {
  const host = hostOf(machine);
  return on.kind === 'machine' && on.machine === host && (container !== undefined) === (host !== machine);
}
