/** Statuses and how they are derived (status.md#values). */
import type { Pending } from './application/document.ts';
import { missingStatus, missingWords } from './requirements/requirement.ts';

export interface Status {
  readonly status: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** RFC 3339, UTC. */
  readonly since: string;
}

export type StatusKind =
  | 'unit-agent'
  | 'workload'
  | 'application'
  | 'machine-agent'
  | 'instance'
  | 'modification'
  | 'relation'
  | 'model';

/** The id of the status document of an entity, e.g. `workload:mysql/0`, `instance:3`, `model:`. */
export function statusId(kind: StatusKind, entity: string): string {
  return `${kind}:${entity}`;
}

/** The statuses that a charm may set with status-set. */
export const charmStatuses = ['maintenance', 'blocked', 'waiting', 'active'] as const;

/**
 * An entity's status before anything has set it, so that creating an entity writes no status documents. `since` is then
 * the entity's creation.
 */
export function initialStatus(kind: StatusKind, since: string): Status {
  switch (kind) {
    case 'unit-agent':
      return { status: 'allocating', message: '', since };
    case 'workload':
      return { status: 'waiting', message: 'waiting for machine', since };
    case 'application':
      return { status: 'unset', message: '', since };
    case 'machine-agent':
      return { status: 'pending', message: '', since };
    case 'instance':
      return { status: 'pending', message: '', since };
    case 'modification':
      return { status: 'idle', message: '', since };
    case 'relation':
      return { status: 'joining', message: '', since };
    case 'model':
      return { status: 'available', message: '', since };
  }
}

const severity: Record<string, number> = {
  error: 100,
  blocked: 90,
  maintenance: 80,
  waiting: 70,
  active: 60,
  terminated: 50,
  unknown: 40,
};

/** The requirements that a pending application waits for, and the number of its units that run all the same. */
interface Waiting {
  readonly pending: Pending;
  readonly running: number;
}

/**
 * The status of an application that never set its own: that of its worst unit, the first of equals. A pending
 * application shows what it waits for, only in the message where units run, as those keep working.
 */
export function deriveApplicationStatus(
  applicationStatus: Status,
  units: Iterable<Status>,
  waiting?: Waiting,
): Status {
  const shown = applicationStatus.status === 'unset' ? worstOf(units) : applicationStatus;
  if (!waiting) return shown ?? { status: 'unknown', message: '', since: applicationStatus.since };
  const { pending, running } = waiting;
  const wait = missingStatus(pending.missing);
  if (!shown) return { ...wait, since: pending.since };
  if (running === 0) return shown;
  const waitText = `new units wait for ${missingWords(pending.missing)}`;
  // The worst unit may be a new one that has this message already.
  const isSaid = shown.message === '' || shown.message === wait.message;
  return { ...shown, message: isSaid ? waitText : `${shown.message}; ${waitText}` };
}

function worstOf(units: Iterable<Status>): Status | undefined {
  let worst: Status | undefined;
  for (const unit of units)
    if (!worst || (severity[unit.status] ?? 0) > (severity[worst.status] ?? 0)) worst = unit;
  return worst;
}

/**
 * The shown status of a unit: a hook error is stored on the agent and shown on the workload; a unit whose machine's
 * agent is disconnected is `lost`, except while it is allocating or installing.
 */
export function displayUnitStatus(unit: {
  agent: Status;
  workload: Status;
  present: boolean;
  name: string;
}): { agent: Status; workload: Status } {
  const { agent, workload, present, name } = unit;
  if (agent.status === 'error') {
    return {
      agent: { status: 'idle', message: '', since: agent.since, data: {} },
      workload: { ...agent, status: 'error' },
    };
  }
  const installing = agent.status === 'executing' && workload.message === 'installing charm software';
  if (present || agent.status === 'allocating' || installing) return { agent, workload };
  const lost: Status = {
    status: 'lost',
    message: 'agent is not communicating with the server',
    since: agent.since,
  };
  if (workload.status === 'error' || workload.status === 'terminated') return { agent: lost, workload };
  return {
    agent: lost,
    workload: {
      status: 'unknown',
      message: `agent lost, see 'juju show-status-log ${name}'`,
      since: workload.since,
    },
  };
}

/** The shown status of a machine's agent: `down` when it is disconnected, unless pending, stopped or dead. */
export function displayMachineStatus(machine: { agent: Status; present: boolean; dead: boolean }): Status {
  const { agent, present, dead } = machine;
  if (present || dead || agent.status === 'pending' || agent.status === 'stopped' || agent.status === 'error')
    return agent;
  return { status: 'down', message: 'agent is not communicating with the server', since: agent.since };
}
