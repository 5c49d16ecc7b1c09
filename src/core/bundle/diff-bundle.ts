import { anywhere } from '../application/exposed-rules.ts';
import { formatBase, sameBase, type Base } from '../base.ts';
import { formatConstraints } from '../constraints.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import { compareNames } from '../names.ts';
import { formatDirective } from '../storage/directive.ts';
import { parseEndpointText } from '../relation/key.ts';
import type { Bundle, BundleApplication, BundleMachine, BundleOffer, BundleRelation } from './bundle.ts';
import { placementOf } from './map-machines.ts';
import { ownValue } from './own.ts';
import { differentStorage, formatStorage } from './storage.ts';

/** The differences, with keys as `juju diff-bundle` prints them, in its order; empty when there are none. */
export interface BundleDiff {
  /** URLs of offers: a key of grigri's own. */
  readonly saas?: Each<string>;
  readonly applications?: Readonly<Record<string, ApplicationDiff>>;
  /**
   * Differences of machines by id in the model; machines that the model lacks are under their numbers in the bundle.
   */
  readonly machines?: Readonly<Record<string, MachineDiff>>;
  readonly relations?: {
    readonly 'bundle-additions'?: readonly BundleRelation[];
    readonly 'model-additions'?: readonly BundleRelation[];
  };
}
/** The values of both sides; null or absent where a side has none. */
export interface Sides<T> {
  readonly bundle: T;
  readonly model: T;
}
export type Each<T> = Readonly<Record<string, Sides<T | null>>>;
export interface ApplicationDiff {
  /** The side that lacks the entity. */
  readonly missing?: 'bundle' | 'model';
  readonly charm?: Sides<string>;
  readonly channel?: Sides<string>;
  readonly revision?: Sides<number>;
  readonly base?: Sides<string>;
  readonly num_units?: Sides<number>;
  readonly expose?: Sides<boolean>;
  readonly exposed_endpoints?: Each<Exposed>;
  readonly options?: Each<ConfigValue>;
  readonly annotations?: Each<string>;
  readonly constraints?: Sides<string>;
  /** Keys of grigri's own. */
  readonly storage?: Each<string>;
  readonly resources?: Each<string>;
  readonly offers?: Each<BundleOffer>;
  readonly trust?: Sides<boolean>;
  readonly require?: Sides<readonly string[]>;
  readonly after?: Each<string>;
}
export interface MachineDiff {
  readonly missing?: 'bundle' | 'model';
  readonly annotations?: Each<string>;
  readonly base?: Sides<string>;
}
interface Exposed {
  readonly 'expose-to-spaces'?: readonly string[];
  readonly 'expose-to-cidrs'?: readonly string[];
}

interface BundlesToCompare {
  readonly bundle: Bundle;
  /** The model as export-bundle shows it. */
  readonly model: Bundle;
  /** The model with the charms' defaults added: an option with its default value does not differ from an absent one. */
  readonly withDefaults: Bundle;
  /** Number of a machine in the bundle → id in the model. */
  readonly machines: ReadonlyMap<string, string>;
  /** Whether annotations are compared (`--annotations`). */
  readonly annotations: boolean;
  /** Resources by application: those that the bundle names and whose contents differ, with the contents in words. */
  readonly resources: Readonly<Record<string, Each<string>>>;
  /** The name of an application's charm in the bundle, which may give the charm as a path. */
  readonly charmName: (application: string) => string;
}

/** Compares a bundle with a model: what the bundle has and the model lacks, and the reverse. Pure. */
export function diffBundle(compared: BundlesToCompare): BundleDiff {
  const { bundle, model } = compared;
  const names = new Set([...Object.keys(bundle.applications), ...Object.keys(model.applications)]);
  const applications = [...names]
    .sort(compareNames)
    .map((name): [string, ApplicationDiff] => [name, diffApplication(name, compared)]);
  return filled<BundleDiff>({
    saas: diffValues(urlsOf(bundle), urlsOf(model)),
    applications: filled(Object.fromEntries(applications)),
    machines: diffMachines(compared),
    relations: diffRelations(bundle.relations, model.relations),
  });
}

function diffApplication(name: string, compared: BundlesToCompare): ApplicationDiff {
  const { bundle, model, withDefaults, annotations } = compared;
  const bundleApplication = ownValue(bundle.applications, name);
  const modelApplication = ownValue(model.applications, name);
  if (!bundleApplication) return { missing: 'bundle' };
  if (!modelApplication) return { missing: 'model' };
  const exposed = bundleApplication.exposed && modelApplication.exposed;
  return filled<ApplicationDiff>({
    charm: sameCharm(bundleApplication.charm, modelApplication.charm, compared.charmName(name))
      ? undefined
      : { bundle: bundleApplication.charm, model: modelApplication.charm },
    channel: sidesIfBoth(bundleApplication.channel, modelApplication.channel),
    revision: sidesIfBoth(bundleApplication.revision, modelApplication.revision),
    base: diffBase(bundleApplication.base ?? bundle.defaultBase, modelApplication.base ?? model.defaultBase),
    num_units: sides(bundleApplication.units, modelApplication.units),
    expose: sides(bundleApplication.exposed, modelApplication.exposed),
    exposed_endpoints: exposed
      ? diffValues(exposedOf(bundleApplication), exposedOf(modelApplication))
      : undefined,
    options: diffOptions(
      bundleApplication.options,
      modelApplication.options,
      ownValue(withDefaults.applications, name)?.options ?? {},
    ),
    annotations: annotations
      ? diffValues(bundleApplication.annotations, modelApplication.annotations)
      : undefined,
    constraints: sides(
      formatConstraints(bundleApplication.constraints),
      formatConstraints(modelApplication.constraints),
    ),
    storage: diffStorage(bundleApplication.storage, modelApplication.storage),
    resources: ownValue(compared.resources, name),
    offers: diffOffers(bundleApplication.offers, modelApplication.offers),
    trust: sides(bundleApplication.trust, modelApplication.trust),
    require: sides([...bundleApplication.require].sort(), [...modelApplication.require].sort()),
    after: diffValues(bundleApplication.after ?? {}, modelApplication.after ?? {}),
  });
}

function urlsOf({ saas = {} }: Bundle): Record<string, string> {
  return Object.fromEntries(Object.entries(saas).map(([name, { url }]) => [name, url]));
}

/** Users of an offer of whom the bundle says nothing, such as whoever made it, are no difference. */
function diffOffers(
  wanted: BundleApplication['offers'] = {},
  has: BundleApplication['offers'] = {},
): Each<BundleOffer> {
  const named = Object.entries(has).map(([name, { endpoints, acl }]) => {
    const users = Object.entries(acl).filter(([user]) =>
      Object.hasOwn(ownValue(wanted, name)?.acl ?? acl, user),
    );
    return [name, inOrderOf({ endpoints, acl: Object.fromEntries(users) })] as const;
  });
  const bundles = Object.entries(wanted).map(([name, offer]) => [name, inOrderOf(offer)] as const);
  return diffValues(Object.fromEntries(bundles), Object.fromEntries(named));
}

function inOrderOf({ endpoints, acl }: BundleOffer): BundleOffer {
  return {
    endpoints: [...new Set(endpoints)].sort(),
    acl: Object.fromEntries(Object.entries(acl).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Storage that the bundle says nothing of is the charm's matter. */
function diffStorage(
  wanted: BundleApplication['storage'],
  has: BundleApplication['storage'] = {},
): Each<string> {
  const names = Object.entries(differentStorage(wanted, has));
  const models = formatStorage(has);
  return Object.fromEntries(
    names.map(([name, directive]) => [
      name,
      { bundle: formatDirective(directive), model: ownValue(models, name) ?? null },
    ]),
  );
}

/** Uploaded charms are compared by name, as their origin is not recorded. */
function sameCharm(bundleCharm: string, modelCharm: string, name: string): boolean {
  if (bundleCharm === modelCharm) return true;
  return !bundleCharm.startsWith('local:') && modelCharm.replace(/^local:/, '').replace(/-\d+$/, '') === name;
}

/** Options in the bundle are compared with the values in force; other options differ only when they were set. */
function diffOptions(
  bundleOptions: BundleApplication['options'],
  modelOptions: BundleApplication['options'],
  effectiveOptions: BundleApplication['options'],
): Each<ConfigValue> {
  const statedOptions = Object.keys(bundleOptions).map(
    (key) => [key, ownValue(bundleOptions, key), ownValue(effectiveOptions, key)] as const,
  );
  const modelOnlyKeys = Object.keys(modelOptions).filter((key) => !Object.hasOwn(bundleOptions, key));
  return Object.fromEntries(
    [...statedOptions, ...modelOnlyKeys.map((key) => [key, undefined, ownValue(modelOptions, key)] as const)]
      // The model has typed values; a bundle may have `"3306"`.
      .filter(
        ([, bundle, model]) =>
          bundle === undefined || model === undefined || String(bundle) !== String(model),
      )
      .sort(([a], [b]) => compareNames(a, b))
      .map(([key, bundle = null, model = null]) => [key, { bundle, model }]),
  );
}

/** Without further settings an exposed application is open to everyone. */
function exposedOf({ exposedEndpoints }: BundleApplication): Record<string, Exposed> {
  const endpoints = exposedEndpoints ?? { '': { cidrs: [], spaces: [] } };
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, { cidrs, spaces }]) => [
      name,
      filled<Exposed>({
        'expose-to-spaces': [...spaces].sort(),
        'expose-to-cidrs': cidrs.length + spaces.length > 0 ? [...cidrs].sort() : [...anywhere].sort(),
      }),
    ]),
  );
}

/**
 * Compares machines if the bundle has any. A machine that only the model has is no difference where the bundle does not
 * say on which machines its units are.
 */
function diffMachines(compared: BundlesToCompare): Readonly<Record<string, MachineDiff>> {
  const { bundle, model, machines, annotations } = compared;
  const bundleMachines = Object.entries(bundle.machines);
  if (bundleMachines.length === 0) return {};
  const diffs = bundleMachines.map(([number, machine]): [string, MachineDiff] => {
    const id = machines.get(number);
    const modelMachine = id === undefined ? undefined : ownValue(model.machines, id);
    if (id === undefined || !modelMachine) return [number, { missing: 'model' }];
    return [id, diffMachine(machine, modelMachine, { bundle, model, annotations })];
  });
  const matchedIds = new Set([...machines.values(), ...machinesLeftToModel(bundle, model)]);
  const unmatchedIds = Object.keys(model.machines).filter((id) => !matchedIds.has(id));
  return filled(
    Object.fromEntries(
      [...diffs, ...unmatchedIds.map((id): [string, MachineDiff] => [id, { missing: 'bundle' }])].sort(
        ([a], [b]) => compareNames(a, b),
      ),
    ),
  );
}

function diffMachine(
  bundleMachine: BundleMachine,
  modelMachine: BundleMachine,
  { bundle, model, annotations }: Pick<BundlesToCompare, 'bundle' | 'model' | 'annotations'>,
): MachineDiff {
  return filled<MachineDiff>({
    annotations: annotations ? diffValues(bundleMachine.annotations, modelMachine.annotations) : undefined,
    base: diffBase(bundleMachine.base ?? bundle.defaultBase, modelMachine.base ?? model.defaultBase),
  });
}

function machinesLeftToModel(bundle: Bundle, model: Bundle): Set<string> {
  const machineIds = new Set<string>();
  for (const [application, { to }] of Object.entries(model.applications))
    for (const [index, { on }] of to.entries()) {
      const placement = placementOf(bundle, { application, index });
      const isWanted = index < (ownValue(bundle.applications, application)?.units ?? 0);
      if (on.kind === 'machine' && isWanted && placement?.on.kind !== 'machine') machineIds.add(on.machine);
    }
  return machineIds;
}

/** The relations that one side lacks. An end without an endpoint matches any endpoint of the application. */
export function diffRelations(
  bundleRelations: readonly BundleRelation[],
  modelRelations: readonly BundleRelation[],
): BundleDiff['relations'] {
  const unmatched = new Map<string, BundleRelation[]>();
  for (const relation of modelRelations) {
    const key = applicationsOf(relation);
    unmatched.set(key, [...(unmatched.get(key) ?? []), relation]);
  }
  // Fully specified relations come first, so that a vaguer one does not take their match.
  const vague = (relation: BundleRelation): number => relation.filter((end) => !end.includes(':')).length;
  const missing = [...bundleRelations]
    .sort((a, b) => vague(a) - vague(b))
    .filter((relation) => {
      const candidates = unmatched.get(applicationsOf(relation)) ?? [];
      const found = candidates.findIndex((candidate) => fits(relation, candidate));
      if (found >= 0) candidates.splice(found, 1);
      return found < 0;
    });
  const modelOnly = [...unmatched.values()].flat();
  return filled<NonNullable<BundleDiff['relations']>>({
    'bundle-additions': inOrder(missing),
    'model-additions': inOrder(modelOnly),
  });
}

function fits([a, b]: BundleRelation, [x, y]: BundleRelation): boolean {
  const endFits = (bundleEnd: string, modelEnd: string): boolean =>
    bundleEnd === modelEnd || (!bundleEnd.includes(':') && modelEnd.startsWith(`${bundleEnd}:`));
  return (endFits(a, x) && endFits(b, y)) || (endFits(a, y) && endFits(b, x));
}

function applicationsOf(relation: BundleRelation): string {
  return relation
    .map((end) => parseEndpointText(end).application)
    .sort()
    .join(' ');
}

function inOrder(relations: readonly BundleRelation[]): BundleRelation[] {
  return [...relations].sort((a, b) => compareNames(a.join(' '), b.join(' ')));
}

/** A base that the bundle does not give is no difference. */
function diffBase(bundle: Base | undefined, model: Base | undefined): Sides<string> | undefined {
  if (!bundle || !model || sameBase(bundle, model)) return undefined;
  return { bundle: formatBase(bundle), model: formatBase(model) };
}

/** The two values, if they differ. */
export function sides<T>(bundle: T, model: T): Sides<T> | undefined {
  return isEqual(bundle, model) ? undefined : { bundle, model };
}

function sidesIfBoth<T>(bundle: T | undefined, model: T | undefined): Sides<T> | undefined {
  return bundle === undefined || model === undefined ? undefined : sides(bundle, model);
}

/** The values that differ, each with those of both sides. */
export function diffValues<T>(
  bundle: Readonly<Record<string, T>>,
  model: Readonly<Record<string, T>>,
): Each<T> {
  const keys = [...new Set([...Object.keys(bundle), ...Object.keys(model)])].sort(compareNames);
  return Object.fromEntries(
    keys.flatMap((key) => {
      const found = sides(ownValue(bundle, key) ?? null, ownValue(model, key) ?? null);
      return found ? [[key, found]] : [];
    }),
  );
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The map without empty entries. */
export function filled<T extends object>(map: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(
    Object.entries(map).filter(
      ([, value]) =>
        value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  ) as T;
}
