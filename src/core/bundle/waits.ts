/** Applications that will be pending after a bundle is deployed, computed from the model and the bundle together. */
import type { CharmMeta } from '../charm/metadata.ts';
import type { RelationEndpoint } from '../relation/document.ts';
import type { RequirementModel, RequiringApplication } from '../requirements/graph.ts';
import {
  gateRequirements,
  requirementsOf,
  type Missing,
  type Requirement,
} from '../requirements/requirement.ts';
import { settle } from '../requirements/settle.ts';
import { defined } from '../defined.ts';
import type { Gates } from '../gates/gate.ts';
import type { Bundle, BundleApplication } from './bundle.ts';
import type { BundleCharm, BundleModel } from './bundle-model.ts';
import { ownValue } from './own.ts';
import type { NewRelation } from './plan-relations.ts';

/** The bundle's applications that will be pending, with what they wait for. */
export function waitsOf(
  bundle: Bundle,
  model: BundleModel,
  charms: Readonly<Record<string, BundleCharm>>,
  added: readonly NewRelation[],
): ReadonlyMap<string, readonly Missing[]> {
  const applications = new Map<string, RequiringApplication>(Object.entries(model.requirements));
  const names = Object.keys(bundle.applications).sort();
  for (const name of names) {
    const meta = ownValue(charms, name)?.meta;
    const { after } = ownValue(bundle.applications, name) ?? {};
    const known = applications.get(name);
    if (!meta || (known && !after)) continue;
    const requirements = requirementsIn(bundle, model, name, meta).filter(({ gate }) => !gate);
    const gates = gateRequirements(gatesIn(model, name, after));
    applications.set(name, {
      subordinate: meta.subordinate,
      ...known,
      requirements: [...requirements, ...gates],
    });
  }
  const { changed } = settle(graphOf(applications, model, added), names);
  return new Map(
    names.flatMap((name) => {
      const missing = changed.has(name) ? changed.get(name) : applications.get(name)?.missing;
      return missing ? [[name, missing]] : [];
    }),
  );
}

/** The applications that one waits for once the bundle is deployed: by the bundle, or else by its closed gates. */
export function waitedFor(
  name: string,
  { applications }: Pick<Bundle, 'applications'>,
  { requirements }: Pick<BundleModel, 'requirements'>,
): string[] {
  const after = ownValue(applications, name)?.after;
  return after ? Object.keys(after) : closedIn(requirements, name);
}

/** The applications of the closed gates of one: those that are open are no requirements any more. */
export function closedIn(requirements: BundleModel['requirements'], name: string): string[] {
  return ownValue(requirements, name)?.requirements.flatMap(({ gate }) => gate?.application ?? []) ?? [];
}

/** The gates that the bundle gives an application: those that are open in the model stay so. */
function gatesIn(
  { state, requirements }: BundleModel,
  name: string,
  after: BundleApplication['after'] = {},
): Gates {
  const has = ownValue(state.applications, name)?.after ?? {};
  const closed = new Set(closedIn(requirements, name));
  return Object.fromEntries(
    Object.entries(after).map(([one, health]) => {
      const isOpen = Object.hasOwn(has, one) && !closed.has(one);
      return [one, { health, ...defined({ opened: isOpen ? '' : undefined }) }];
    }),
  );
}

/** The requirements that an application of the bundle has, or will have, in the model. */
export function requirementsIn(
  bundle: Pick<Bundle, 'applications'>,
  { requirements, requireMode }: Pick<BundleModel, 'requirements' | 'requireMode'>,
  name: string,
  meta: CharmMeta,
): readonly Requirement[] {
  const { require } = ownValue(bundle.applications, name) ?? {};
  return ownValue(requirements, name)?.requirements ?? requirementsOf(meta, require, requireMode);
}

type Relation = { readonly endpoints: readonly RelationEndpoint[] };

function graphOf(
  applications: ReadonlyMap<string, RequiringApplication>,
  model: BundleModel,
  added: readonly NewRelation[],
): RequirementModel {
  const byApplication = new Map<string, Relation[]>();
  const byEndpoint = new Map<string, Relation[]>();
  for (const relation of [...model.relations, ...added.map((endpoints) => ({ endpoints }))])
    for (const { application, name } of relation.endpoints) {
      append(byApplication, application, relation);
      append(byEndpoint, `${application}:${name}`, relation);
    }
  return {
    application: (name) => applications.get(name),
    relations: (application, endpoint) =>
      (endpoint === undefined
        ? byApplication.get(application)
        : byEndpoint.get(`${application}:${endpoint}`)) ?? [],
  };
}

function append<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
