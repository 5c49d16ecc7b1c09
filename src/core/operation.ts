/** What is run on units and machines on demand. */

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
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled' | 'aborted' | 'error';
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
}
