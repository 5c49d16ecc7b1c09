/** Descriptions of changes of a status, for the history. */
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import type { HistoryEvent } from '../history/event.ts';
import { statusId, type Status, type StatusKind } from '../status.ts';
import type { StatusDoc } from './document.ts';

export function describeStatus(before: StatusDoc | undefined, after: StatusDoc | undefined): HistoryEvent[] {
  if (!after || (before?.status === after.status && before.message === after.message)) return [];
  const label = statusLabels[after.kind];
  const entity: EntityRef = { kind: entityKinds[after.kind], id: after.entity };
  const message = after.message === '' ? '' : `: ${after.message}`;
  const statusEvent: HistoryEvent = {
    subject: entity.kind === 'model' ? 'model' : `${entity.kind} ${entity.id}`,
    what: `${label} ${after.status}${message}`,
    detail: '',
    about: [entity],
  };
  const { kind } = after;
  if (kind === 'model' && isSuspended(before) !== isSuspended(after))
    return [
      {
        ...statusEvent,
        what: isSuspended(after) ? `starts of machines suspended${message}` : 'machines are started again',
      },
    ];
  // A repeated failed attempt of suspended starts is a frequent report.
  if (kind === 'model' && isSuspended(after)) return [{ ...statusEvent, report: 'agent-status' }];
  if (isError(after)) return [statusEvent];
  const isHook = kind === 'unit-agent' && !(before && isError(before));
  return [{ ...statusEvent, report: isHook || kind === 'modification' ? 'agent-status' : 'status' }];
}

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

/** Whether the status is an error: a failed hook, an instance that could not be made, or one that is gone. */
function isError({ status }: Status): boolean {
  return ['error', 'provisioning error', 'lost'].includes(status);
}

function isSuspended(status: Status | undefined): boolean {
  return status?.status === 'suspended';
}

/** Ids of an entity's statuses; those of a model have the entity ''. */
export function statusIdsOf({ kind, id }: EntityRef): string[] {
  const entity = kind === 'model' ? '' : id;
  return (Object.keys(entityKinds) as StatusKind[])
    .filter((status) => entityKinds[status] === kind)
    .map((status) => statusId(status, entity));
}
