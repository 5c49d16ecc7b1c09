/** How the store finds documents other than by their ids. */
import type {
  AccessDoc,
  ApplicationDoc,
  CharmDoc,
  CredentialDoc,
  Ending,
  HostDoc,
  LeaseDoc,
  MachineDoc,
  ModelDoc,
  OfferDoc,
  RelationDoc,
  ScopeDoc,
  SettingsDoc,
  StorageAttachmentDoc,
  TaskDoc,
  UnitDoc,
} from './entities.ts';
import { placedOn } from './placement.ts';

/** Those whose removal was forced and is not finished are found by `forced`. */
function isForced(entity: Ending): 'forced' | undefined {
  return entity.force ? 'forced' : undefined;
}

/** Secondary indexes: document → the value(s) it is found by. */
export const indexes = {
  access: { model: (d: AccessDoc) => d.model, user: (d: AccessDoc) => d.user },
  credential: { owner: (d: CredentialDoc) => d.owner },
  model: {
    name: (d: ModelDoc) => `${d.owner}/${d.name}`,
    life: (d: ModelDoc) => d.life,
    owner: (d: ModelDoc) => d.owner,
  },
  application: {
    charm: (d: ApplicationDoc) => d.charmUrl,
    life: (d: ApplicationDoc) => d.life,
    force: isForced,
    pending: (d: ApplicationDoc) => (d.pending ? 'pending' : undefined),
  },
  unit: {
    application: (d: UnitDoc) => d.application,
    machine: (d: UnitDoc) => d.machine,
    principal: (d: UnitDoc) => d.principal,
    charm: (d: UnitDoc) => d.charmUrl,
    force: isForced,
    /** By application: those that wait for its requirements, or are about to be placed. */
    unplaced: (d: UnitDoc) => (d.unplaced ? d.application : undefined),
    /** Those that wait, by the machine that they are to be placed on. */
    named: ({ unplaced }: UnitDoc) => unplaced?.placement && placedOn(unplaced.placement),
  },
  machine: {
    parent: (d: MachineDoc) => d.parent,
    life: (d: MachineDoc) => d.life,
    clean: (d: MachineDoc) => (d.clean ? 'clean' : undefined),
    force: isForced,
    /** What the provisioner has to look at. */
    unprovisioned: (d: MachineDoc) => (d.instance ? undefined : 'unprovisioned'),
  },
  /** Those that are machines now. */
  host: { instance: (d: HostDoc) => (d.gone ? undefined : d.instanceId) },
  relation: {
    application: (d: RelationDoc) => [...new Set(d.endpoints.map((e) => e.application))],
    endpoint: (d: RelationDoc) => d.endpoints.map((e) => `${e.application}:${e.name}`),
    key: (d: RelationDoc) => d.key,
    force: isForced,
    life: (d: RelationDoc) => d.life,
  },
  scope: {
    relation: (d: ScopeDoc) => d.relation,
    unit: (d: ScopeDoc) => d.unit,
    /** What a counterpart watches: one application's side, or one container. */
    side: (d: ScopeDoc) =>
      d.container === '' ? `${d.relation} ${d.application}` : `${d.relation} in ${d.container}`,
  },
  settings: {
    relation: (d: SettingsDoc) => d.relation,
    side: (d: SettingsDoc) => `${d.relation} ${d.owner.split('/')[0]!}`,
  },
  'storage-attachment': {
    unit: (d: StorageAttachmentDoc) => d.unit,
    machine: (d: StorageAttachmentDoc) => d.machine,
  },
  offer: { application: (d: OfferDoc) => d.application },
  charm: { name: (d: CharmDoc) => d.name, sha256: (d: CharmDoc) => d.sha256 },
  lease: { holder: (d: LeaseDoc) => d.holder },
  task: {
    receiver: (d: TaskDoc) => d.receiver,
    operation: (d: TaskDoc) => d.operation,
    /** Those that have not begun, by whom they wait for. */
    queue: (d: TaskDoc) => (d.status === 'pending' ? d.receiver : undefined),
    pending: (d: TaskDoc) => (d.status === 'pending' ? 'pending' : undefined),
  },
} as const;

/** By which of them removed documents are still found, for the history of what they belonged to. */
export const removedIndexes = {
  access: ['model'],
  machine: ['parent'],
  relation: ['application'],
  scope: ['relation'],
  'storage-attachment': ['unit'],
  unit: ['application', 'machine'],
} as const satisfies { readonly [P in keyof typeof indexes]?: readonly (keyof (typeof indexes)[P])[] };

/** What changes again and again without a word for a history: a lease that is renewed, what agents keep, numbers. */
export const quietChanges = {
  lease: (before: LeaseDoc | undefined, after: LeaseDoc | undefined) => before?.holder === after?.holder,
  sequence: () => true,
  'unit-state': () => true,
};
