/** The steps that make a model what a model file says. Pure, and independent of the order within the file. */
import { reaches } from '../access/levels.ts';
import { ownValue } from '../bundle/own.ts';
import { planBundle, type BundlePlan, type BundleToPlan } from '../bundle/plan-bundle.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { withoutDyingUnits, type BundleModel } from '../bundle/bundle-model.ts';
import type { BundleStep } from '../bundle/step.ts';
import { sameBase } from '../base.ts';
import { parseEndpointText, relationKey } from '../relation/key.ts';
import type { LiveModel, ModelPlan } from './plan.ts';
import { machinesAsked, namesIn } from './machines-asked.ts';
import type { ModelFile } from './model-file.ts';
import { moveOffers } from './moved-offers.ts';
import { planGrants, planOfModel } from './plan-of-model.ts';
import { goneRelations, goneThings } from './plan-removals.ts';
import { goneGates } from './plan-resets.ts';
import { differencesOf } from './differences.ts';
import type { ModelStep } from './step.ts';
import { ByUser } from '../user/by-user.ts';

export interface ModelToPlan extends Omit<BundleToPlan, 'bundle' | 'model'> {
  /** The file, whose offers have whole URLs. */
  readonly file: ModelFile;
  readonly live: LiveModel;
  /** SHA-256 (checksumText) of the contents that the file gives, by secret. */
  readonly checksums: Readonly<Record<string, string>>;
  /** Whether what the file made and no longer names is removed. */
  readonly prune: boolean;
  /** Applications that others of the same name are to take the place of → why. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Offers that may be made anew for another application. */
  readonly movable: ReadonlySet<string>;
}

/**
 * Plans the steps. What others need comes first, removals last; relations and gates that go make room for new ones
 * before that.
 * Errors: those of planBundle.
 */
export function planModel(given: ModelToPlan): ModelPlan {
  const { toPlan, steps, refused } = moveOffers(given);
  const { file, live, prune, replaced } = toPlan;
  const relations = goneRelations(file, live, replaced);
  const kept = prune ? withoutRelations(live.bundle, relations) : live.bundle;
  const gone = Object.keys(replaced);
  const there = withoutApplications(kept, gone);
  const left = { ...live, bundle: there, secrets: withoutReaders(live.secrets, gone) };
  const model = withoutDyingUnits(prune ? withoutGates(there, goneGates(file, live)) : there);
  const bundle = planBundle({ ...toPlan, bundle: scaled(file, model), model, scales: true });
  const [before, after] = atFirstUnit(bundle.steps);
  const doing: ModelStep[] = [
    ...before,
    ...planGrants(file, left),
    ...planBases(file, model, bundle),
    ...after,
    ...planLowered(file, model),
    ...planScale(file, model),
  ];
  const things = goneThings(file, left, { machines: bundle.machines, steps: doing });
  const { gates = [], others = [] } = Object.groupBy(things, ({ kind }) =>
    kind === 'reset-after' ? 'gates' : 'others',
  );
  const differences = differencesOf(file, left, { ...bundle, steps: doing });
  return {
    steps: [
      ...planOfModel(toPlan),
      ...steps,
      ...Object.entries(replaced).map(([application, why]): ModelStep => ({
        kind: 'remove-application',
        application,
        replaced: why,
      })),
      ...(prune ? [...relations, ...gates] : []),
      ...doing,
      ...(prune ? others : []),
    ],
    unpruned: prune ? [] : [...relations, ...things],
    differences,
    refused: [
      ...bundle.differences
        .filter(({ of }) => of === 'charm')
        .map(({ application }) => ({ application, why: whyReplaced(file, live.bundle, application) })),
      ...refused,
    ],
    waits: [...bundle.waits].map(([application, missing]) => ({ application, missing })),
    machines: machinesAsked(doing, {
      bundle: file.bundle,
      model,
      modelConstraints: file.constraints ?? live.constraints,
      nameOf: namesIn(live.bundle, gone),
    }),
    bundle,
  };
}

/** Why applications cannot become what the file says without being deployed anew, by application. */
export function replaceable({
  refused,
  differences,
}: Pick<ModelPlan, 'refused' | 'differences'>): Record<string, string> {
  const whys = new Map<string, Set<string>>();
  const add = (application: string, why: string): void =>
    void whys.set(application, (whys.get(application) ?? new Set()).add(why));
  for (const { application, offer, why } of refused) if (offer === undefined) add(application, why);
  for (const difference of differences) {
    const why = ownValue<string>(whysOf, difference.of);
    if (why !== undefined && 'application' in difference) add(difference.application, why);
  }
  return Object.fromEntries([...whys].map(([application, list]) => [application, [...list].join(', and ')]));
}

const whysOf: Readonly<Record<string, string>> = {
  storage: 'its units have other storage',
  require: 'its requirements are others',
  placement: 'its units are placed elsewhere',
};

/** Why an application whose charm has another name than the file's cannot take that one. */
export function whyReplaced(file: ModelFile, { state }: BundleModel, application: string): string {
  const has = ownValue(state.applications, application)?.charm ?? '';
  const wanted = ownValue(file.bundle.applications, application)?.charm ?? '';
  return `its charm is ${has}, and ${wanted} has another name`;
}

/** The model as it is once the applications are gone. */
export function withoutApplications(model: BundleModel, gone: readonly string[]): BundleModel {
  if (gone.length === 0) return model;
  const left = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !gone.includes(name)));
  return {
    ...model,
    state: {
      ...model.state,
      applications: left(model.state.applications),
      relations: model.state.relations.filter(
        (ends) => !ends.some((end) => gone.includes(parseEndpointText(end).application)),
      ),
    },
    dying: model.dying.filter((name) => !gone.includes(name)),
    units: left(model.units),
    requirements: left(model.requirements),
    relations: model.relations.filter(
      ({ endpoints }) => !endpoints.some(({ application }) => gone.includes(application)),
    ),
  };
}

/** The secrets as they are once the applications, which take their grants along, are gone. */
function withoutReaders(secrets: LiveModel['secrets'], gone: readonly string[]): LiveModel['secrets'] {
  if (gone.length === 0) return secrets;
  return Object.fromEntries(
    Object.entries(secrets).map(([name, one]) => [
      name,
      { ...one, grants: one.grants.filter((reader) => !gone.includes(reader)) },
    ]),
  );
}

/** The model as it is once the applications have no gates. */
function withoutGates(model: BundleModel, applications: readonly string[]): BundleModel {
  if (applications.length === 0) return model;
  const requirements = { ...model.requirements };
  for (const name of applications) {
    const one = ownValue(requirements, name);
    if (one)
      requirements[name] = {
        ...one,
        requirements: one.requirements.filter(({ gate }) => gate === undefined),
      };
  }
  return { ...model, requirements };
}

/** The model as it is once the relations are gone. */
function withoutRelations(model: BundleModel, removals: readonly ModelStep[]): BundleModel {
  const keys = new Set(
    removals.flatMap((step) => (step.kind === 'remove-relation' ? [step.endpoints.join(' ')] : [])),
  );
  if (keys.size === 0) return model;
  return {
    ...model,
    relations: model.relations.filter(({ endpoints }) => !keys.has(relationKey(endpoints))),
    state: {
      ...model.state,
      relations: model.state.relations.filter((ends) => !keys.has(ends.join(' '))),
    },
  };
}

/** The file's bundle, in which applications whose scale is left to others have the units that they have. */
export function scaled({ bundle, unscaled }: ModelFile, model: BundleModel): Bundle {
  const left = [...unscaled].filter((name) => (ownValue(model.units, name)?.length ?? 0) > 0);
  if (left.length === 0) return bundle;
  const applications = { ...bundle.applications };
  for (const name of left) {
    const application = ownValue(applications, name);
    const subordinate = ownValue(model.requirements, name)?.subordinate ?? false;
    if (application && !subordinate)
      applications[name] = { ...application, units: ownValue(model.units, name)?.length ?? 0 };
  }
  return { ...bundle, applications };
}

/** Splits before the first machine or unit: what is in place by then holds for all of these. */
function atFirstUnit(steps: readonly BundleStep[]): [readonly BundleStep[], readonly BundleStep[]] {
  const first = steps.findIndex(({ kind }) => kind === 'add-machine' || kind === 'add-unit');
  return first < 0 ? [steps, []] : [steps.slice(0, first), steps.slice(first)];
}

/** Bases of later units of applications that the model has with another one. */
function planBases({ bundle }: ModelFile, { state }: BundleModel, plan: BundlePlan): ModelStep[] {
  return plan.differences.flatMap(({ application, of }): ModelStep[] => {
    const base = ownValue(bundle.applications, application)?.base;
    const has = ownValue(state.applications, application)?.base ?? state.defaultBase;
    if (of !== 'base' || !base || (has && sameBase(base, has))) return [];
    return [{ kind: 'set-base', application, base }];
  });
}

/** Access to offers that is higher than the file says. */
function planLowered({ bundle }: ModelFile, { state }: BundleModel): ModelStep[] {
  return Object.entries(bundle.applications)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([application, { offers = {} }]) => {
      const has = ownValue(state.applications, application)?.offers ?? {};
      return Object.entries(offers).flatMap(([offer, { acl }]): ModelStep[] => {
        const held = new ByUser(ownValue(has, offer)?.acl);
        return Object.entries(acl).flatMap(([user, to]): ModelStep[] => {
          const was = held.get(user);
          if (was === undefined || was === to || !reaches('offer', was, to)) return [];
          return [{ kind: 'revoke-offer', offer, user, was, to }];
        });
      });
    });
}

/** Units beyond the file's number: those with the highest numbers go. */
function planScale(file: ModelFile, { units, requirements }: BundleModel): ModelStep[] {
  return Object.keys(file.bundle.applications)
    .filter((name) => !file.unscaled.has(name) && !(ownValue(requirements, name)?.subordinate ?? false))
    .sort()
    .flatMap((application): ModelStep[] => {
      const wanted = ownValue(file.bundle.applications, application)?.units ?? 0;
      const extra = (ownValue(units, application) ?? []).slice(wanted).map(({ name }) => name);
      return extra.length === 0 ? [] : [{ kind: 'remove-units', application, units: extra }];
    });
}
