import type { Entities, Kind } from '../entities.ts';
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import { statusId, type Status, type StatusKind } from '../status.ts';
import {
  describeApplication,
  describeMachine,
  describeModel,
  describeRelation,
  describeUnit,
} from './describe-living.ts';
import type { HistoryEvent, PastChange, PastNames } from './event.ts';
import { ValueGone } from '../value-gone.ts';
import { changedKeys } from './values.ts';

/**
 * What a change did, in words that have no secret in them: of relation data, leader settings and annotations the keys,
 * of tasks neither parameters nor output, of agents' own state and the controller's documents nothing at all.
 */
export function describeChange(change: PastChange, names: PastNames): HistoryEvent[] {
  const describe = kinds[change.kind] as Describe<Kind>;
  try {
    return describe(change.before, change.after, { names, id: change.id });
  } catch (error) {
    if (!(error instanceof ValueGone)) throw error;
    return [
      { subject: `${change.kind} ${change.id}`, what: `changed (${error.message})`, detail: '', about: [] },
    ];
  }
}

type Describe<P extends Kind> = (
  before: Entities[P] | undefined,
  after: Entities[P] | undefined,
  context: { readonly names: PastNames; readonly id: string },
) => HistoryEvent[];

const nothing = (): HistoryEvent[] => [];

const kinds: { readonly [P in Kind]: Describe<P> } = {
  application: (before, after, { names }) => describeApplication(before, after, names),
  unit: (before, after) => describeUnit(before, after),
  machine: (before, after) => describeMachine(before, after),
  relation: (before, after) => describeRelation(before, after),
  model: (before, after, { names }) => describeModel(before, after, names),

  status: (before, after) => {
    if (!after || (before?.status === after.status && before.message === after.message)) return [];
    const label = statusLabels[after.kind];
    const entity: EntityRef = { kind: entityKinds[after.kind], id: after.entity };
    const message = after.message === '' ? '' : `: ${after.message}`;
    const told: HistoryEvent = {
      subject: entity.kind === 'model' ? 'model' : `${entity.kind} ${entity.id}`,
      what: `${label} ${after.status}${message}`,
      detail: '',
      about: [entity],
    };
    const { kind } = after;
    if (kind === 'model' && isSuspended(before) !== isSuspended(after))
      return [
        {
          ...told,
          what: isSuspended(after) ? `starts of machines suspended${message}` : 'machines are started again',
        },
      ];
    // One more try that failed.
    if (kind === 'model' && isSuspended(after)) return [{ ...told, report: 'agent-status' }];
    if (isError(after)) return [told];
    const isHook = kind === 'unit-agent' && !(before && isError(before));
    return [{ ...told, report: isHook || kind === 'modification' ? 'agent-status' : 'status' }];
  },

  scope: (before, after, { names }) => {
    const scope = after ?? before;
    if (!scope) return [];
    const relation = relationName(scope.relation, names);
    const said = (what: string): HistoryEvent[] => [
      {
        ...ofUnit(scope.unit),
        what: `${what} ${relation}`,
        about: [unitRef(scope.unit), relationRef(scope.relation)],
      },
    ];
    if (!before) return said('entered the scope of');
    if (!after) return said('left the scope of');
    return after.departing && !before.departing ? said('is leaving') : [];
  },

  settings: (before, after, { names }) => {
    const settings = after ?? before;
    // What goes with its relation, or when its unit leaves, is not worth a word.
    const keys = after ? changedKeys(before?.values, after.values) : '';
    if (!settings || keys === '') return [];
    const owner: EntityRef = {
      kind: settings.owner.includes('/') ? 'unit' : 'application',
      id: settings.owner,
    };
    return [
      {
        subject: `${owner.kind} ${owner.id}`,
        what: `data in ${relationName(settings.relation, names)}: ${keys}`,
        detail: '',
        about: [owner, relationRef(settings.relation)],
      },
    ];
  },

  'storage-attachment': (before, after) => {
    const attachment = after ?? before;
    if (!attachment || (before && after)) return [];
    const what = `storage ${attachment.storage} ${after ? 'attached' : 'detached'}`;
    return [{ ...ofUnit(attachment.unit), what }];
  },

  offer: (before, after, { id }) => {
    const offer = after ?? before;
    if (!offer) return [];
    const what = !before ? 'made' : !after ? 'removed' : 'changed';
    return [
      {
        subject: `application ${offer.application}`,
        what: `offer ${id} ${what}`,
        detail: '',
        about: [{ kind: 'application', id: offer.application }],
      },
    ];
  },

  stray: (before, after, { id }) => {
    const said = (what: string, detail = ''): HistoryEvent => ({
      subject: `instance ${id}`,
      what,
      detail,
      about: [],
    });
    const machine = after?.machine ? `(made for machine ${after.machine})` : '';
    return [
      ...(after && !before ? [said('found without a machine', machine)] : []),
      ...(after?.stopping && !before?.stopping
        ? [said('is to be stopped, as provisioner-harvest-mode says')]
        : []),
      ...(before && !after ? [said('is a stray no longer')] : []),
    ];
  },

  charm: (before, after, { id }) =>
    before && after
      ? []
      : [{ subject: `charm ${id}`, what: after ? 'added' : 'removed', detail: '', about: [] }],

  lease: (before, after, { id }) => {
    if (before?.holder === after?.holder) return [];
    const told = (unit: string, what: string): HistoryEvent => ({
      ...ofUnit(unit),
      what,
      about: [unitRef(unit), { kind: 'application', id }],
    });
    return [
      ...(before ? [told(before.holder, 'is the leader no longer')] : []),
      ...(after ? [told(after.holder, 'became the leader')] : []),
    ];
  },

  'leader-settings': (before, after, { id }) => {
    const keys = after ? changedKeys(before?.values, after.values) : '';
    if (keys === '') return [];
    const about: EntityRef = { kind: 'application', id };
    return [{ subject: `application ${id}`, what: `leader settings: ${keys}`, detail: '', about: [about] }];
  },

  annotation: (before, after, { id, names }) => {
    const keys = changedKeys(before?.values, after?.values);
    const entity = names.entityOfTag(id);
    if (keys === '') return [];
    const subject = !entity ? id : entity.kind === 'model' ? 'model' : `${entity.kind} ${entity.id}`;
    return [{ subject, what: `annotations: ${keys}`, detail: '', about: entity ? [entity] : [] }];
  },

  task: (before, after) => {
    const task = after ?? before;
    if (!task || before?.status === after?.status) return [];
    const about: EntityRef = { kind: task.receiverKind, id: task.receiver };
    const what = !after ? 'forgotten' : before ? after.status : 'asked for';
    return [
      {
        subject: `${about.kind} ${about.id}`,
        what: `task ${task.id} (${task.name}) ${what}`,
        detail: '',
        about: [about],
      },
    ];
  },

  access: (before, after) => {
    const access = after ?? before;
    if (!access || access.model === '' || before?.access === after?.access) return [];
    const what = after ? `has ${after.access} access` : 'has no access any more';
    return [
      {
        subject: 'model',
        what: `user ${access.user} ${what}`,
        detail: '',
        about: [{ kind: 'model', id: access.model }],
      },
    ];
  },

  // Counts, what only agents can read, and a task's group.
  sequence: nothing,
  'unit-state': nothing,
  operation: nothing,
  // The controller's own: in no model's history.
  controller: nothing,
  user: nothing,
  'last-login': nothing,
  cloud: nothing,
  credential: nothing,
  host: nothing,
};

const statusLabels: Readonly<Record<StatusKind, string>> = {
  'unit-agent': 'agent status',
  workload: 'workload status',
  application: 'status',
  'machine-agent': 'agent status',
  instance: 'instance status',
  modification: 'modification status',
  relation: 'status',
  model: 'status',
};
const entityKinds: Readonly<Record<StatusKind, LivingKind>> = {
  'unit-agent': 'unit',
  workload: 'unit',
  application: 'application',
  'machine-agent': 'machine',
  instance: 'machine',
  modification: 'machine',
  relation: 'relation',
  model: 'model',
};

/** A failed hook, an instance that could not be made, or is gone. */
function isError({ status }: Status): boolean {
  return ['error', 'provisioning error', 'lost'].includes(status);
}

function isSuspended(status: Status | undefined): boolean {
  return status?.status === 'suspended';
}

/** Ids of the statuses of an entity; a model's are of the entity ''. */
export function statusIdsOf({ kind, id }: EntityRef): string[] {
  const entity = kind === 'model' ? '' : id;
  return (Object.keys(entityKinds) as StatusKind[])
    .filter((status) => entityKinds[status] === kind)
    .map((status) => statusId(status, entity));
}

function ofUnit(unit: string): Omit<HistoryEvent, 'what'> {
  return { subject: `unit ${unit}`, detail: '', about: [unitRef(unit)] };
}

function unitRef(id: string): EntityRef {
  return { kind: 'unit', id };
}

function relationRef(id: string): EntityRef {
  return { kind: 'relation', id };
}

function relationName(id: string, names: PastNames): string {
  const key = names.relationKey(id);
  return key === undefined ? `relation ${id}` : `relation ${id} (${key})`;
}
