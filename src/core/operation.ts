/** What is run on units and machines on demand. */

/** `aborting`: cancelled while it ran; its agent is to end it. */
export type TaskStatus =
  'pending' | 'running' | 'aborting' | 'completed' | 'failed' | 'cancelled' | 'aborted' | 'error';

const open: readonly TaskStatus[] = ['pending', 'running', 'aborting'];

/** Somebody has still something to do about it. */
export function isOpen(task: { readonly status: TaskStatus }): boolean {
  return open.includes(task.status);
}

/** Model space; id = number as text. One exec or action on one receiver; belongs to an operation. */
export interface TaskDoc {
  readonly id: string;
  readonly operation: string;
  /** Unit name or machine id. */
  readonly receiver: string;
  readonly receiverKind: 'unit' | 'machine';
  /** `juju-exec` runs parameters.command. */
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly status: TaskStatus;
  readonly message: string;
  readonly output: Readonly<Record<string, unknown>>;
  /** What action-log said, oldest first; absent = nothing. RFC 3339. */
  readonly log?: readonly { readonly timestamp: string; readonly message: string }[];
  readonly enqueued: string;
  readonly started?: string;
  readonly completed?: string;
}

/** Model space; id = number as text. */
export interface OperationDoc {
  readonly id: string;
  readonly summary: string;
  readonly enqueued: string;
  readonly tasks: readonly string[];
  /** Why receivers that were asked for got no task; absent = all did. */
  readonly fail?: string;
}
