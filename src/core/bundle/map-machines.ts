import { notFound, notValid } from '../errors.ts';
import { compareNames, hostOf } from '../names.ts';
import type { Bundle, BundlePlacement } from './bundle.ts';
import type { BundleModel, MachineMap } from './bundle-model.ts';
import { ownValue } from './own.ts';
import { machineAnnotation, type UnitRef } from './step.ts';

/** Parses `existing,0=3,1=4`, in any order. Errors: `not valid`. */
export function parseMachineMap(text: string): MachineMap {
  const pairs: Record<string, string> = {};
  let existing = false;
  for (const word of text.split(',').map((item) => item.trim())) {
    if (word === '') continue;
    const [, from, to] = /^(\d+)=(\d+)$/.exec(word) ?? [];
    if (word === 'existing') existing = true;
    else if (from === undefined || to === undefined)
      throw notValid(`--map-machines: expected "existing" or <bundle machine>=<machine>, got "${word}"`);
    else if (Object.hasOwn(pairs, from)) throw notValid(`--map-machines: machine ${from} is mapped twice`);
    else pairs[from] = to;
  }
  return { existing, pairs };
}

/**
 * Maps the bundle's machines to the model's: as the user says; else to the machine of the units that the bundle places
 * there, if it was made for it; else to a machine that was made for it and has no unit yet, since the units may have
 * been placed elsewhere when they waited for nothing any more; else to the machine of the units. Machines without an
 * entry are to be made. Errors: `not found`.
 */
export function mapMachines(
  bundle: Bundle,
  model: BundleModel,
  { existing, pairs }: MachineMap,
): ReadonlyMap<string, string> {
  const unknown = Object.keys(pairs).find((number) => !Object.hasOwn(bundle.machines, number));
  if (unknown !== undefined) throw notFound('machine of the file', unknown);
  const byUnits = machinesOfUnits(bundle, model);
  const labelled = machinesByLabel(model);
  const mapped = new Map<string, string>();
  for (const number of Object.keys(bundle.machines).sort(compareNames)) {
    const sameNumber = existing && isAlive(model, number) ? number : undefined;
    const made = labelled.get(machineLabel(bundle, number));
    const ofUnits = byUnits.get(number);
    const id =
      pairs[number] ?? sameNumber ?? (isMadeFor(model, ofUnits, number) ? ofUnits : (made ?? ofUnits));
    if (id === undefined) continue;
    if (!isAlive(model, id)) throw notFound('machine', id);
    mapped.set(number, id);
  }
  return mapped;
}

/** The label that identifies a bundle's machine; the number alone would be ambiguous between bundles. */
export function machineLabel(bundle: Bundle, number: string): string {
  const users = Object.keys(bundle.applications)
    .filter((name) =>
      ownValue(bundle.applications, name)?.to.some(
        ({ on }) => on.kind === 'machine' && on.machine === number,
      ),
    )
    .sort();
  return `${number} (${users.join(', ')})`;
}

/** Whether the machine was made for the bundle's machine, though maybe for other applications. */
function isMadeFor({ machines }: BundleModel, id: string | undefined, number: string): boolean {
  return machines[id ?? '']?.annotations[machineAnnotation]?.startsWith(`${number} (`) ?? false;
}

export function unitLabel({ application, index }: UnitRef): string {
  return `${application}/${index}`;
}

/** Machines that were made for a bundle, by label. */
export function machinesByLabel({ machines }: BundleModel): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(machines).flatMap(([id, { life, annotations }]) => {
      const label = annotations[machineAnnotation];
      return life === 'alive' && label !== undefined ? [[label, id]] : [];
    }),
  );
}

/** The bundle's placement for a unit; undefined: a new machine. */
export function placementOf(bundle: Bundle, { application, index }: UnitRef): BundlePlacement | undefined {
  const to = ownValue(bundle.applications, application)?.to ?? [];
  return to[index] ?? to.at(-1);
}

/** The machine that a unit of the model has, or is to have when its application is deployed. */
export function machineOfUnit(model: BundleModel, { application, index }: UnitRef): string | undefined {
  const { machine } = ownValue(model.units, application)?.[index] ?? {};
  if (machine !== undefined) return machine;
  const placement = ownValue(model.state.applications, application)?.to[index];
  return placement?.container === undefined && placement?.on.kind === 'machine'
    ? placement.on.machine
    : undefined;
}

function machinesOfUnits(bundle: Bundle, model: BundleModel): Map<string, string> {
  const found = new Map<string, string>();
  for (const application of Object.keys(bundle.applications).sort())
    for (const index of (ownValue(model.units, application) ?? []).keys()) {
      const placement = placementOf(bundle, { application, index });
      const host = hostOfUnit(model, { application, index });
      if (placement?.on.kind !== 'machine' || host === undefined) continue;
      const { machine: number } = placement.on;
      if (!found.has(number) && isAlive(model, host)) found.set(number, host);
    }
  return found;
}

/** The machine that a unit is on, or is to be on when its application is deployed: itself or in a container. */
function hostOfUnit(model: BundleModel, { application, index }: UnitRef): string | undefined {
  const { machine } = ownValue(model.units, application)?.[index] ?? {};
  if (machine !== undefined) return hostOf(machine);
  const { on } = ownValue(model.state.applications, application)?.to[index] ?? {};
  return on?.kind === 'machine' ? hostOf(on.machine) : undefined;
}

function isAlive({ machines }: BundleModel, id: string): boolean {
  return Object.hasOwn(machines, id) && machines[id]?.life === 'alive';
}
