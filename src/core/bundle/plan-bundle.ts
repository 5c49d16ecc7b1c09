/**
 * The steps that make a model have what a bundle says. Pure, and independent of the order within the bundle. Further
 * entities of the model stay. Relations come before units, so that no application waits for what the bundle itself
 * brings.
 */
import { checkBindings } from '../application/bindings.ts';
import { checkRefresh } from '../application/check-refresh.ts';
import { chooseBase, formatBase, sameBase, type Base } from '../base.ts';
import { checkSupported } from '../charm/check-supported.ts';
import { parseConfigValues } from '../charm/config.ts';
import { formatConstraints } from '../constraints.ts';
import { JujuError } from '../errors.ts';
import { sameAfter } from '../gates/gate.ts';
import { inOrderOfGates } from '../gates/order.ts';
import { formatEndpoint, relationKey } from '../relation/key.ts';
import { checkRequired } from '../requirements/check-required.ts';
import { checkStorageNames } from '../storage/check-storage.ts';
import type { Missing } from '../requirements/requirement.ts';
import type { Bundle, BundleApplication } from './bundle.ts';
import { withoutDyingUnits, type BundleCharm, type BundleModel, type MachineMap } from './bundle-model.ts';
import { binding, exposing } from './plan-network.ts';
import { ofApplication } from './of-application.ts';
import { ownValue } from './own.ts';
import { mapMachines } from './map-machines.ts';
import { planOffers, planSaas, splitRelations } from './plan-offers.ts';
import { planRelations } from './plan-relations.ts';
import { planUnits } from './plan-units.ts';
import type { BundleOptions, BundleStep, DeployStep } from './step.ts';
import { differentStorage } from './storage.ts';
import { requirementsIn, waitedFor, waitsOf } from './waits.ts';
import { defined } from '../defined.ts';

export interface BundleToPlan {
  readonly bundle: Bundle;
  readonly model: BundleModel;
  /** The charm of each application of the bundle. */
  readonly charms: Readonly<Record<string, BundleCharm>>;
  readonly map: MachineMap;
  /** Resources of applications that the model has whose contents are others than the bundle's, by application. */
  readonly changedResources?: Readonly<Record<string, readonly string[]>>;
  /** Endpoints of the offers that the bundle consumes, as far as the planner knows them. */
  readonly saas?: BundleModel['saas'];
  /** `deploy --force`: allows a base that the charm lacks. */
  readonly force: boolean;
  /** Whether units beyond the bundle's numbers are to go, so that no other is placed with them; absent = they stay. */
  readonly scales?: true;
}

export interface BundlePlan {
  /** The steps; empty when the model has everything. */
  readonly steps: readonly BundleStep[];
  /** Machine of the bundle → machine of the model; machines without an entry are made. */
  readonly machines: ReadonlyMap<string, string>;
  /** Differences that the steps leave as they are. */
  readonly differences: readonly Difference[];
  /** The bundle's applications that will be pending after all steps. */
  readonly waits: ReadonlyMap<string, readonly Missing[]>;
}

/** A difference of an application that a bundle's steps leave as it is. */
export interface Difference {
  readonly application: string;
  readonly of: 'charm' | 'base' | 'units' | 'storage' | 'require';
  readonly text: string;
}

/**
 * Plans the steps for a bundle. Errors: `not valid` (options, bases, endpoints), `not found` (machines), '' (relations,
 * placements).
 */
export function planBundle(given: BundleToPlan): BundlePlan {
  const model = withoutDyingUnits(given.model);
  const toPlan = { ...given, model };
  const { bundle, charms, map, scales } = toPlan;
  const names = inOrderOfGates(Object.keys(bundle.applications), (name) => waitedFor(name, bundle, model));
  const planned = names.map((name) => ofApplication(name, () => planApplication(name, toPlan)));
  const bases = Object.fromEntries(planned.map(({ name, base }) => [name, base]));
  const saas = { ...model.saas, ...toPlan.saas };
  const { known, asWritten } = splitRelations(bundle, saas);
  const relations = planRelations({
    relations: known,
    charms,
    bases,
    saas,
    requirements: (name, meta) => requirementsIn(bundle, model, name, meta),
    existing: model.relations,
  });
  const waits = waitsOf(bundle, model, charms, relations);
  const machines = mapMachines(bundle, model, map);
  const units = planUnits({
    bundle,
    model,
    machines,
    bases: { applications: bases, machines: basesOfMachines(bundle, model, bases) },
    waits: new Set(waits.keys()),
    ...defined({ scales }),
  });
  return {
    steps: [
      ...uploads(planned.flatMap(({ steps }) => steps)),
      ...planned.flatMap(({ steps }) => steps),
      ...planOffers(bundle, model),
      ...planSaas(bundle, model),
      ...asWritten.map((endpoints): BundleStep => ({ kind: 'integrate', endpoints })),
      ...relations.map((ends): BundleStep => {
        const [left, right] = ends.map(formatEndpoint);
        return { kind: 'integrate', endpoints: [left ?? '', right ?? ''] };
      }),
      ...units,
      ...machineAnnotations(bundle, model, machines),
    ],
    machines,
    differences: planned.flatMap(({ differences }) => differences),
    waits,
  };
}

interface PlannedApplication {
  readonly name: string;
  readonly base: Base;
  readonly steps: readonly BundleStep[];
  readonly differences: readonly Difference[];
}

function planApplication(
  name: string,
  { bundle, model, charms, force, changedResources = {} }: BundleToPlan,
): PlannedApplication {
  const bundleApplication = ownValue(bundle.applications, name);
  const charm = ownValue(charms, name);
  if (!bundleApplication || !charm) throw new JujuError('not found', `application "${name}" not found`);
  if (model.dying.includes(name))
    throw new JujuError('', `application "${name}" is being removed: deploy the bundle after its removal`);
  if (charm.meta.subordinate) checkSubordinate(name, bundleApplication);
  const options: BundleOptions = {
    ...parseConfigValues(charm.config, bundleApplication.options),
    ...defined({ trust: bundleApplication.trust || undefined }),
  };
  const modelApplication = ownValue(model.state.applications, name);
  if (modelApplication) {
    const base =
      modelApplication.base ??
      model.state.defaultBase ??
      chooseBase({ charmBases: charm.bases, force: true });
    const existing: KnownApplication = {
      name,
      wanted: bundleApplication,
      has: modelApplication,
      base,
      units: ownValue(model.units, name)?.length ?? 0,
      options,
      charm,
    };
    checkReplaced(existing, model.relations, force);
    checkBindings(bundleApplication.bindings, charm.meta);
    const attached = (ownValue(changedResources, name) ?? []).map((resource): BundleStep => ({
      kind: 'attach',
      application: name,
      resource,
    }));
    return {
      name,
      base,
      steps: [...changesOf(existing), ...attached],
      differences: unchangeable(existing),
    };
  }

  checkSupported(charm.meta, force);
  checkBindings(bundleApplication.bindings, charm.meta);
  checkRequired(charm.meta, bundleApplication.require);
  checkStorageOf(bundleApplication, charm);
  const base = baseOfNew(bundleApplication, { bundle, model, charm, force });
  const deploy: DeployStep = {
    kind: 'deploy',
    application: name,
    charm: charm.url === undefined ? { path: bundleApplication.charm } : { url: charm.url },
    base,
    options,
    constraints: bundleApplication.constraints,
    bindings: bundleApplication.bindings,
    require: bundleApplication.require,
    ...defined({
      after: bundleApplication.after,
      resources: bundleApplication.resources,
      storage: bundleApplication.storage,
    }),
  };
  return {
    name,
    base,
    steps: [deploy, ...exposing(name, bundleApplication), ...annotating(name, bundleApplication)],
    differences: [],
  };
}

function baseOfNew(
  { base, constraints }: BundleApplication,
  { bundle, model, charm, force }: Pick<BundleToPlan, 'bundle' | 'model' | 'force'> & { charm: BundleCharm },
): Base {
  const { 'image-id': imageId } = constraints;
  return chooseBase({
    ...defined({
      requested: base ?? bundle.defaultBase,
      modelDefault: model.defaultBase,
      available: model.bases,
      imageId: imageId || undefined,
    }),
    charmBases: charm.bases,
    force,
  });
}

/** Checks that a subordinate has neither units nor constraints. Errors: `not valid`. */
function checkSubordinate(name: string, { units, to, constraints }: BundleApplication): void {
  if (units > 0 || to.length > 0)
    throw new JujuError('not valid', `application "${name}": a subordinate has no units of its own`);
  if (Object.keys(constraints).length > 0)
    throw new JujuError('not valid', `application "${name}": a subordinate has no constraints`);
}

/**
 * Checks that the charm declares the storage that the bundle names. Of a charm that is in the model already, the
 * controller checks it. Errors: `not valid`.
 */
function checkStorageOf({ storage = {} }: BundleApplication, { url, meta }: BundleCharm): void {
  if (url === undefined) checkStorageNames(meta.storage, storage);
}

interface KnownApplication {
  readonly name: string;
  readonly wanted: BundleApplication;
  readonly has: BundleApplication;
  readonly base: Base;
  readonly units: number;
  readonly options: BundleOptions;
  readonly charm: BundleCharm;
}

/** Steps for an application that the model has. Settings that the bundle does not name stay. */
function changesOf({ name, wanted, has, options, charm }: KnownApplication): BundleStep[] {
  const modelOptions: Readonly<Record<string, unknown>> = { ...has.options, trust: has.trust };
  const changed = Object.entries(options).filter(([key, value]) => ownValue(modelOptions, key) !== value);
  const constrains =
    Object.keys(wanted.constraints).length > 0 &&
    formatConstraints(wanted.constraints) !== formatConstraints(has.constraints);
  const steps: BundleStep[] = [];
  // The options may be ones that only the new charm has.
  if (charm.replaces !== undefined)
    steps.push({
      kind: 'refresh',
      application: name,
      charm: charm.url === undefined ? { path: wanted.charm } : { url: charm.url },
      ...defined({ rolling: wanted.refresh }),
    });
  if (changed.length > 0)
    steps.push({ kind: 'set-options', application: name, options: Object.fromEntries(changed) });
  if (constrains) steps.push({ kind: 'set-constraints', application: name, constraints: wanted.constraints });
  const { after } = wanted;
  if (after && !sameAfter(after, has.after)) steps.push({ kind: 'set-after', application: name, after });
  return [
    ...steps,
    ...binding(name, wanted.bindings, has.bindings),
    ...exposing(name, wanted, has),
    ...annotating(name, wanted, has.annotations),
  ];
}

/** Refuses a charm that cannot take the place of the application's. Errors: those of checkRefresh. */
function checkReplaced(
  { name, has, base, charm }: KnownApplication,
  relations: BundleModel['relations'],
  force: boolean,
): void {
  if (charm.replaces === undefined) return;
  const to = { ...charm, url: charm.url ?? `local:${charm.meta.name}` };
  checkRefresh(
    { config: {}, endpointBindings: {}, force, forceBase: force },
    {
      application: {
        name,
        base,
        subordinate: charm.meta.subordinate,
        config: {},
        endpointBindings: {},
        require: has.require,
      },
      from: to,
      to,
      relations: relations.map(({ endpoints }) => ({
        key: relationKey(endpoints),
        endpoints,
        life: 'alive',
      })),
    },
  );
}

/** Differences of an application that the steps leave as they are. */
function unchangeable({ name, wanted, has, base, units, charm }: KnownApplication): Difference[] {
  const storage = Object.keys(differentStorage(wanted.storage, has.storage));
  const required = wanted.require.filter((endpoint) => !has.require.includes(endpoint));
  const texts: Record<Difference['of'], string | false | undefined> = {
    charm:
      charm.differs &&
      `${name} keeps its charm ${has.charm}: that of the bundle has another name, or the model does not have it`,
    base:
      wanted.base &&
      !sameBase(wanted.base, base) &&
      `${name} keeps its base ${formatBase(base)}: the base of a deployed application cannot be changed`,
    units:
      units > wanted.units &&
      !charm.meta.subordinate &&
      `${name} keeps its units: ${units}, the bundle has ${wanted.units}; remove the others with remove-unit`,
    storage:
      storage.length > 0 &&
      `${name} keeps its directives for storage ${storage.join(', ')}: change those of later units with refresh --storage`,
    require:
      required.length > 0 &&
      `${name} does not require ${required.join(', ')}: requirements can be set only at deployment`,
  };
  return (['charm', 'base', 'units', 'storage', 'require'] as const).flatMap((of) => {
    const text = texts[of];
    return text ? [{ application: name, of, text }] : [];
  });
}

function annotating(
  application: string,
  { annotations }: BundleApplication,
  existing: Readonly<Record<string, string>> = {},
): BundleStep[] {
  const changed = different(annotations, existing);
  return changed ? [{ kind: 'annotate', on: { application }, annotations: changed }] : [];
}

/** Annotation steps for the bundle's machines, including new ones, which are made without annotations. */
function machineAnnotations(
  bundle: Bundle,
  model: BundleModel,
  machines: ReadonlyMap<string, string>,
): BundleStep[] {
  return Object.keys(bundle.machines)
    .sort((a, b) => Number(a) - Number(b))
    .flatMap((number): BundleStep[] => {
      const id = machines.get(number);
      const existing = id === undefined ? {} : (model.machines[id]?.annotations ?? {});
      const changed = different(bundle.machines[number]?.annotations ?? {}, existing);
      return changed ? [{ kind: 'annotate', on: { machine: number }, annotations: changed }] : [];
    });
}

function different(
  bundleAnnotations: Readonly<Record<string, string>>,
  modelAnnotations: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const changed = Object.entries(bundleAnnotations).filter(
    ([key, value]) => (ownValue(modelAnnotations, key) ?? '') !== value,
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** One upload per path, however many applications run the charm. */
function uploads(steps: readonly BundleStep[]): BundleStep[] {
  const paths = steps.flatMap((step) =>
    (step.kind === 'deploy' || step.kind === 'refresh') && 'path' in step.charm ? [step.charm.path] : [],
  );
  return [...new Set(paths)].sort().map((path) => ({ kind: 'upload', path }));
}

/** The base of each machine; a machine that names none has that of the applications placed on it. */
function basesOfMachines(
  bundle: Bundle,
  model: BundleModel,
  bases: Readonly<Record<string, Base>>,
): Record<string, Base> {
  const users = new Map<string, Base>();
  for (const name of Object.keys(bundle.applications).sort())
    for (const { on, container } of ownValue(bundle.applications, name)?.to ?? []) {
      const base = ownValue(bases, name);
      if (on.kind === 'machine' && container === undefined && base && !users.has(on.machine))
        users.set(on.machine, base);
    }
  return Object.fromEntries(
    Object.entries(bundle.machines).map(([number, { base }]) => [
      number,
      base ??
        users.get(number) ??
        bundle.defaultBase ??
        chooseBase({
          ...defined({ modelDefault: model.defaultBase, available: model.bases }),
          charmBases: [],
          force: false,
        }),
    ]),
  );
}
