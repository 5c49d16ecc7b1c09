/**
 * Documents as Juju's database has them: the names of its collections, and for those that scripts check, the members of
 * their documents (backups.md#model-dumps). Other members are grigri's.
 */
import type { ApplicationDoc } from '../application/document.ts';
import type { Entities, Kind } from '../kinds.ts';
import type { Life } from '../life.ts';
import type { MachineDoc } from '../machine/document.ts';
import type { OfferDoc } from '../offer/document.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { RemoteApplicationDoc } from '../remote-application/document.ts';
import type { ScopeDoc } from '../scope/document.ts';
import type { SettingsDoc } from '../settings/document.ts';
import type { LocalState } from '../unit/local-state.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { UnitStateDoc } from '../unit-state/document.ts';

type Members = Readonly<Record<string, unknown>>;

/** The model in which documents related to a dumped one are looked up. */
export interface DumpedModel {
  readonly uuid: string;
  relation(id: string): RelationDoc | undefined;
  offer(name: string): OfferDoc | undefined;
  count(kind: Kind, index: string, value: string): number;
}

export interface Collected {
  readonly collection: string;
  readonly document: Members;
}

/** Kinds whose documents Juju has in a collection of another name. */
const collections: { readonly [P in Kind]?: string } = {
  annotation: 'annotations',
  application: 'applications',
  block: 'blocks',
  charm: 'charms',
  machine: 'machines',
  model: 'models',
  offer: 'applicationOffers',
  operation: 'operations',
  relation: 'relations',
  'remote-application': 'remoteApplications',
  resource: 'resources',
  scope: 'relationscopes',
  space: 'spaces',
  status: 'statuses',
  storage: 'storageinstances',
  subnet: 'subnets',
  task: 'actions',
  unit: 'units',
  'unit-state': 'unitstates',
};

const lives: Readonly<Record<Life, number>> = { alive: 0, dying: 1, dead: 2 };

/** A document in its collection, and the documents that Juju has beside it. `shown` is the document without secrets. */
export function inCollections<P extends Kind>(
  model: DumpedModel,
  { kind, doc, shown }: { readonly kind: P; readonly doc: Entities[P]; readonly shown: unknown },
): readonly Collected[] {
  const members = (membersOf as MembersOf)[kind]?.(model, doc);
  const own = { collection: collections[kind] ?? kind, document: shown as Members };
  if (!members) return [own];
  const { id, ...others } = members;
  const key = { _id: `${model.uuid}:${id}`, 'model-uuid': model.uuid };
  return [
    { ...own, document: { ...own.document, ...key, ...others } },
    ...(kind === 'relation' ? connectionOf(model, doc as RelationDoc) : []),
  ];
}

type MembersOf = {
  readonly [P in Kind]?: (model: DumpedModel, doc: Entities[P]) => { readonly id: string } & Members;
};

/** Members of Juju's documents, by kind; `id` is the part of Juju's ids that follows the model. */
const membersOf = {
  application: (model, { name, life, charmUrl, exposed }: ApplicationDoc) => ({
    id: name,
    life: lives[life],
    charmurl: charmUrl,
    exposed: exposed !== undefined,
    unitcount: model.count('unit', 'application', name),
    relationcount: model.count('relation', 'application', name),
  }),
  machine: (_, { id, life }: MachineDoc) => ({ id, machineid: id, life: lives[life] }),
  offer: (_, { name, uuid, application, description }: OfferDoc) => ({
    id: name,
    'offer-name': name,
    'offer-uuid': uuid,
    'application-name': application,
    'application-description': description,
  }),
  relation: (model, { key, life, endpoints, id, suspended }: RelationDoc) => ({
    id: key,
    life: lives[life],
    endpoints: endpoints.map(({ application, ...endpoint }) => ({
      applicationname: application,
      relation: endpoint,
    })),
    unitcount: model.count('scope', 'relation', String(id)),
    suspended: suspended !== undefined,
    'suspended-reason': suspended?.reason ?? '',
  }),
  'remote-application': (model, { name, model: source, saas, ending }: RemoteApplicationDoc) => ({
    id: name,
    life: lives[ending ? 'dying' : 'alive'],
    'source-model-uuid': source,
    'offer-uuid': saas?.offerUuid ?? '',
    url: saas?.url ?? '',
    'is-consumer-proxy': saas === undefined,
    relationcount: model.count('relation', 'application', name),
  }),
  scope: (_, { relation, container, role, unit, departing }: ScopeDoc) => {
    const key = scopeKey([relation, container, role, unit]);
    return { id: key, key, departing };
  },
  settings: (model, { relation, owner, values, version }: SettingsDoc) => {
    const [application] = owner.split('/');
    const endpoint = model.relation(relation)?.endpoints.find((one) => one.application === application);
    const role = owner === application ? '' : (endpoint?.role ?? '');
    return { id: scopeKey([relation, role, owner]), settings: values, version };
  },
  unit: (_, { name, life, application, charmUrl, machine, principal }: UnitDoc) => ({
    id: name,
    life: lives[life],
    application,
    charmurl: charmUrl,
    machineid: machine ?? '',
    principal: principal ?? '',
  }),
  'unit-state': (_, { unit, agent }: UnitStateDoc) => ({
    id: `u#${unit}`,
    'relation-state': relationState(agent as Partial<LocalState> | null),
  }),
} satisfies MembersOf;

/** Key of a unit or application in a relation. Empty parts are left out. */
function scopeKey(parts: readonly string[]): string {
  return ['r', ...parts.filter((part) => part !== '')].join('#');
}

/** The state of each relation as a unit's agent knows it, as YAML by the relation's id. */
function relationState(agent: Partial<LocalState> | null): Readonly<Record<string, string>> {
  const relations = Object.entries(agent?.relations ?? {});
  return Object.fromEntries(
    relations.map(([id, { members, apps, changedPending }]) => [
      id,
      JSON.stringify({
        id: Number(id),
        members,
        'application-members': apps,
        'changed-pending': changedPending,
      }),
    ]),
  );
}

/** The connection of an offer, which here is its relation. */
function connectionOf(model: DumpedModel, { id, key, remote }: RelationDoc): readonly Collected[] {
  const { offered } = remote ?? {};
  if (!offered) return [];
  const document = {
    _id: `${model.uuid}:${id}`,
    'model-uuid': model.uuid,
    'relation-id': id,
    'relation-key': key,
    'offer-uuid': model.offer(offered.offer)?.uuid ?? '',
    username: offered.user,
    'source-model-uuid': offered.model,
  };
  return [{ collection: 'applicationOfferConnections', document }];
}
