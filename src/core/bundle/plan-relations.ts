import type { Base } from '../base.ts';
import type { CharmMeta } from '../charm/metadata.ts';
import type { RelationEndpoint } from '../relation/document.ts';
import { JujuError, notFound } from '../errors.ts';
import { checkAddRelation, type RelationSide } from '../relation/check-add.ts';
import { applicationView, inferEndpoints, type ApplicationView } from '../relation/infer-endpoints.ts';
import { formatEndpoint, relationKey } from '../relation/key.ts';
import type { Requirement } from '../requirements/requirement.ts';
import type { BundleRelation } from './bundle.ts';
import { remoteEnd, remoteView } from '../remote-application/relatable.ts';
import type { BundleCharm, BundleModel, ModelRelation } from './bundle-model.ts';
import { ownValue } from './own.ts';

export interface RelationsToPlan {
  readonly relations: readonly BundleRelation[];
  /** Charms by application; `bases` and `saas` are by application, too. */
  readonly charms: Readonly<Record<string, BundleCharm>>;
  readonly bases: Readonly<Record<string, Base>>;
  /** Endpoints of applications of other models. */
  readonly saas: BundleModel['saas'];
  /** The requirements of an application that runs a charm with this metadata. */
  readonly requirements: (application: string, meta: CharmMeta) => readonly Requirement[];
  /** The model's relations, which stay. */
  readonly existing: readonly ModelRelation[];
}
export type NewRelation = readonly [RelationEndpoint, RelationEndpoint];

/**
 * The relations that the model lacks, by name, with their scope. Errors: those of inferEndpoints and checkAddRelation;
 * '': a relation that is being removed.
 */
export function planRelations({
  relations,
  charms,
  bases,
  saas,
  requirements,
  existing,
}: RelationsToPlan): NewRelation[] {
  const keys = new Set(existing.map(({ endpoints }) => relationKey(endpoints)));
  const dying = new Set(existing.flatMap((one) => (one.dying ? [relationKey(one.endpoints)] : [])));
  const counts = new Map<string, number>();
  const count = (endpoints: readonly RelationEndpoint[]): void => {
    for (const name of endpoints.map(formatEndpoint)) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const { endpoints } of existing) count(endpoints);
  const joined = new Set<string>();
  const join = (endpoints: readonly RelationEndpoint[]): void => {
    for (const { application, scope } of endpoints) if (scope === 'container') joined.add(application);
  };
  for (const { endpoints } of existing) join(endpoints);
  const baseOf = new Map(Object.entries(bases));

  const view = (name: string): ApplicationView | undefined => {
    const remote = ownValue(saas, name);
    if (remote) return remoteView(name, remote);
    const meta = charms[name]?.meta;
    return meta && applicationView(name, meta, requirements(name, meta));
  };
  const side = (endpoint: RelationEndpoint): RelationSide => {
    const { application } = endpoint;
    const relations = counts.get(formatEndpoint(endpoint)) ?? 0;
    if (Object.hasOwn(saas, application)) return remoteEnd({ endpoint, life: 'alive', relations });
    const [charm, base] = [charms[application], baseOf.get(application)];
    if (!charm || !base) throw notFound('application', application);
    return {
      endpoint,
      life: 'alive',
      subordinate: charm.meta.subordinate,
      base,
      free: !joined.has(application),
      charmBases: charm.bases,
      relations,
    };
  };
  return relations
    .map((names) => inferEndpoints(names, view))
    .map((ends) => ({ ends, key: relationKey(ends) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap(({ ends: [left, right], key }): NewRelation[] => {
      if (dying.has(key))
        throw new JujuError('', `relation "${key}" is being removed: deploy the bundle after its removal`);
      if (keys.has(key)) return [];
      keys.add(key);
      const { endpoints, rebased } = checkAddRelation([side(left), side(right)]);
      count(endpoints);
      join(endpoints);
      if (rebased) baseOf.set(rebased.application, rebased.base);
      return [endpoints];
    });
}
