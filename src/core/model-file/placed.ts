/** Units that are elsewhere than the file places them. */
import type { Bundle, BundlePlacement } from '../bundle/bundle.ts';
import type { BundleModel, ModelUnit } from '../bundle/bundle-model.ts';
import { placementOf } from '../bundle/map-machines.ts';
import { ownValue } from '../bundle/own.ts';
import { formatBundlePlacement } from '../bundle/placement.ts';

/** A unit that is not where the file says; both places in words. */
export interface Misplaced {
  readonly unit: string;
  readonly is: string;
  readonly wanted: string;
}

/**
 * Returns the application's units that have a machine which is none that the file's placement allows. `machines`: the
 * file's machine → the model's. A directive for the cloud is compared only when it names the zone.
 */
export function misplaced(
  application: string,
  bundle: Bundle,
  model: BundleModel,
  machines: ReadonlyMap<string, string>,
): Misplaced[] {
  return (ownValue(model.units, application) ?? [])
    .filter(({ dying }) => !dying)
    .flatMap(({ name, machine }, index): Misplaced[] => {
      const wanted = placementOf(bundle, { application, index });
      if (machine === undefined || !wanted) return [];
      if (isThere(machine, wanted, model, machines)) return [];
      const zone = model.machines[machine]?.zone;
      const of = wanted.on.kind === 'directive' && zone !== undefined ? ` in zone ${zone}` : '';
      return [{ unit: name, is: `machine ${machine}${of}`, wanted: formatBundlePlacement(wanted) }];
    });
}

function isThere(
  machine: string,
  { container, on }: BundlePlacement,
  model: BundleModel,
  machines: ReadonlyMap<string, string>,
): boolean {
  const [, host, type] = /^(?:(.*)\/([^/]+)\/)?[^/]+$/.exec(machine) ?? [];
  if (container !== type && !(on.kind === 'unit' && container === undefined)) return false;
  /** The machine that the placement names: the unit's own, or its container's host. */
  const place = container === undefined ? machine : host;
  switch (on.kind) {
    case 'new':
      return true;
    case 'machine':
      return place === machines.get(on.machine);
    case 'directive': {
      const zone = model.machines[machine]?.zone;
      const [, wanted] = /^zone=(.*)$/.exec(on.directive) ?? [];
      return wanted === undefined || zone === undefined || zone === wanted;
    }
    case 'unit': {
      const others = ownValue(model.units, on.application) ?? [];
      const targets: readonly (ModelUnit | undefined)[] = on.unit === undefined ? others : [others[on.unit]];
      const known = targets.flatMap((unit) => unit?.machine ?? []);
      return known.length === 0 || known.some((id) => id === place);
    }
  }
}
