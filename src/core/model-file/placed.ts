/** Units that are elsewhere than the file places them. */
import type { Bundle, BundlePlacement } from '../bundle/bundle.ts';
import type { BundleModel, ModelUnit } from '../bundle/bundle-model.ts';
import { placementOf, unitLabel } from '../bundle/map-machines.ts';
import { ownValue } from '../bundle/own.ts';
import { formatBundlePlacement } from '../bundle/placement.ts';
import type { AddUnitStep, UnitPlacement } from '../bundle/step.ts';
import { hostOf } from '../names.ts';
import type { ModelStep } from './step.ts';

/** A unit that is not where the file says; both places in words. */
interface Misplaced {
  readonly unit: string;
  readonly is: string;
  readonly wanted: string;
}

interface ToPlace {
  readonly bundle: Bundle;
  readonly model: BundleModel;
  /** The file's machine → the model's. */
  readonly machines: ReadonlyMap<string, string>;
  /** Those that add and remove units. */
  readonly steps: readonly ModelStep[];
}

type OnUnit = Extract<BundlePlacement['on'], { kind: 'unit' }>;

/** Places of the units that a model has once the steps are done. */
export class Places {
  readonly #given: ToPlace;
  readonly #gone: ReadonlySet<string>;
  /** Steps that add units, by application. */
  readonly #added: Partial<Record<string, AddUnitStep[]>>;
  readonly #addedByLabel: ReadonlyMap<string, AddUnitStep>;
  /** Machines on which units are, by application and number. */
  readonly #known = new Map<string, ReadonlySet<string> | undefined>();

  constructor(given: ToPlace) {
    this.#given = given;
    const { steps } = given;
    this.#gone = new Set(steps.flatMap((step) => (step.kind === 'remove-units' ? step.units : [])));
    const added = steps.filter((step) => step.kind === 'add-unit');
    this.#added = Object.groupBy(added, ({ unit }) => unit.application);
    this.#addedByLabel = new Map(added.map((step) => [unitLabel(step.unit), step]));
  }

  /**
   * Returns the application's units that stay and have a machine which is none that the file's placement allows. A
   * directive for the cloud is compared only when it names the zone.
   */
  misplaced(application: string): Misplaced[] {
    const { bundle, model } = this.#given;
    return this.#staying(application).flatMap(({ name, machine }, index): Misplaced[] => {
      const wanted = placementOf(bundle, { application, index });
      if (machine === undefined || !wanted || this.#isThere(machine, wanted)) return [];
      const zone = model.machines[machine]?.zone;
      const of = wanted.on.kind === 'directive' && zone !== undefined ? ` in zone ${zone}` : '';
      return [{ unit: name, is: `machine ${machine}${of}`, wanted: formatBundlePlacement(wanted) }];
    });
  }

  #staying(application: string): ModelUnit[] {
    const units = ownValue(this.#given.model.units, application) ?? [];
    return units.filter(({ name, dying }) => !dying && !this.#gone.has(name));
  }

  #isThere(machine: string, { container, on }: BundlePlacement): boolean {
    const { machines, model } = this.#given;
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
      case 'unit':
        // A container is made beside another one, on the same host.
        return place === undefined || this.#isOn(place, on, container !== undefined);
    }
  }

  /** Whether one of the units is on the machine, or, as `hosts`, in a container of it; true when none has a place. */
  #isOn(place: string, on: OnUnit, hosts: boolean): boolean {
    const key = `${hosts ? 'host' : 'machine'} ${on.application} ${on.unit ?? ''}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#placesOf(on, hosts));
    return this.#known.get(key)?.has(place) ?? true;
  }

  #placesOf({ application, unit }: OnUnit, hosts: boolean): ReadonlySet<string> | undefined {
    const isMeant = (index: number): boolean => unit === undefined || unit === index;
    const there = this.#staying(application).flatMap(({ machine }, index) =>
      machine !== undefined && isMeant(index) ? [machine] : [],
    );
    const added = (ownValue(this.#added, application) ?? []).filter((step) => isMeant(step.unit.index));
    if (there.length === 0 && added.length === 0) return undefined;
    const all = [...there, ...added.flatMap(({ at }) => this.#machineAt(at) ?? [])];
    return new Set(hosts ? all.map(hostOf) : all);
  }

  /** The machine of the model on which a new unit, or its container, will be; undefined = one that is made. */
  #machineAt({ on }: UnitPlacement): string | undefined {
    for (let at: UnitPlacement['on'] | undefined = on; at;) {
      if (at.kind === 'machine') return at.id;
      if (at.kind !== 'of-unit') return undefined;
      at = this.#addedByLabel.get(unitLabel(at.unit))?.at.on;
    }
    return undefined;
  }
}
