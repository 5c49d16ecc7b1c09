/** An application as it was, in the words of a file, which says nothing of what it leaves to others. */
import type { Bundle, BundlePlacement } from '../../bundle/bundle.ts';
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

/**
 * The placements of the units that were, in the order of today's units, so that those that are missing come last. A
 * unit that is elsewhere counts for one that is missing.
 */
export function alignedPlacements(
  application: string,
  past: readonly BundlePlacement[],
  { units }: Pick<BundleModel, 'units'>,
): readonly BundlePlacement[] {
  if (past.length === 0) return [];
  const left = [...past];
  const now = (ownValue(units, application) ?? []).slice(0, past.length);
  const found = now.map(({ machine }) => {
    const at = machine === undefined ? -1 : left.findIndex((one) => isOn(one, machine));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
  const to = found.map((one) => one ?? left.shift()!);
  return [...to, ...left];
}

function isOn({ container, on }: BundlePlacement, machine: string): boolean {
  const host = hostOf(machine);
  return on.kind === 'machine' && on.machine === host && (container !== undefined) === (host !== machine);
}
