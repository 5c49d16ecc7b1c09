import type { EntityRef } from '../entity-ref.ts';
import type { LogLine } from './log.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';

/** Status of a task; `aborting`: cancelled while running, and its agent has to end it. */
export type TaskStatus =
  | 'pending'
  | 'running'
  | 'aborting'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'aborted'
  | 'error';

const open: readonly TaskStatus[] = ['pending', 'running', 'aborting'];

/** Whether the task still has to be run or ended. */
export function isOpen(task: { readonly status: TaskStatus }): boolean {
  return open.includes(task.status);
}

/** One exec or action on one receiver; part of an operation. Model space; id = number as text. */
export interface TaskDoc {
  readonly id: string;
  readonly operation: string;
  /** Unit name or machine id. */
  readonly receiver: string;
  readonly receiverKind: 'unit' | 'machine';
  /** The action's name; `juju-exec` runs parameters.command. */
  readonly name: string;
  /** Parameters as everyone may see them: without values, which are sealed, except those of older versions. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Parameters as they are, as JSON and sealed (operations.md#secrets-in-parameters); absent = there are none, or
   * `sealed`.
   */
  readonly sealedParameters?: string;
  /** A command that brings a secret, sealed, until the task has ended. */
  readonly sealed?: string;
  /**
   * Whether the task runs beside hooks and other tasks of its machine; absent = in its turn (unit-agent.md#task-turns).
   */
  readonly parallel?: true;
  /** Tasks of one group run one after the other on a machine, beside all others; absent = no group. */
  readonly executionGroup?: string;
  readonly status: TaskStatus;
  readonly message: string;
  /** Output of the task, without contents of secrets. */
  readonly output: Readonly<Record<string, unknown>>;
  /** The output as it was, as JSON and sealed, where it has contents of secrets (secrets.md#in-outputs). */
  readonly sealedOutput?: string;
  /** Messages of action-log, oldest first; absent = none. Timestamps are RFC 3339. */
  readonly log?: readonly LogLine[];
  readonly enqueued: string;
  readonly started?: string;
  readonly completed?: string;
}

export const task = defineKind<TaskDoc>()({
  space: 'model',
  idOf: ({ id }) => id,
  indexes: {
    receiver: (doc) => doc.receiver,
    operation: (doc) => doc.operation,
    /** Tasks that have not begun, by receiver. */
    queue: (doc) => (doc.status === 'pending' ? doc.receiver : undefined),
    pending: (doc) => (doc.status === 'pending' ? 'pending' : undefined),
  },
  quota: {
    measures: [
      { limit: limits.taskParameters, members: ['parameters'] },
      { limit: limits.sealedParameters, members: ['sealed', 'sealedParameters'] },
      { limit: limits.taskOutput, members: ['output'] },
      { limit: limits.taskSealedOutput, members: ['sealedOutput'] },
      { limit: limits.taskLog, members: ['log'] },
    ],
    counts: [
      {
        limit: limits.queuedTasksOfReceiver,
        index: 'queue',
        value: ({ receiver, status }) => (status === 'pending' ? receiver : undefined),
        whose: ({ receiverKind, receiver }) => `${receiverKind} ${receiver}`,
      },
      {
        limit: limits.queuedTasks,
        index: 'pending',
        value: ({ status }) => (status === 'pending' ? status : undefined),
        whose: () => 'the model',
      },
    ],
  },
  upkeep: 'old',
  describe: (before, after) => {
    const task = after ?? before;
    if (!task || before?.status === after?.status) return [];
    const about: EntityRef = { kind: task.receiverKind, id: task.receiver };
    const event = !after ? 'forgotten' : before ? after.status : 'requested';
    return [
      {
        subject: `${about.kind} ${about.id}`,
        what: `task ${task.id} (${task.name}) ${event}`,
        detail: '',
        about: [about],
      },
    ];
  },
});
