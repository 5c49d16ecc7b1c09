import type { ResultOf } from '../../client/calls.ts';
import { parseTag } from '../../wire/tags.ts';
import { taskOf, type Task, type TaskResult } from './results.ts';

/** An operation that was enqueued. */
export interface Operation {
  readonly id: string;
  readonly tasks: readonly Task[];
  /** Reasons why other tasks of the operation were not enqueued. */
  readonly refused: readonly string[];
}

export function operationOf({ operation, actions }: ResultOf<'Action', 'EnqueueOperation'>): Operation {
  return {
    id: parseTag(operation).id,
    tasks: actions.flatMap(({ action, error }) => (error || !action ? [] : [taskOf(action)])),
    refused: actions.flatMap(({ error }) => error?.message ?? []),
  };
}

/**
 * Whether a task is a failure of the command that waited for it (operations.md#exit-codes-of-tasks): a task that ended
 * with a return code is judged by that code.
 */
export function hasFailed(task: TaskResult): boolean {
  if (task.error !== undefined) return true;
  const code = task.output?.['return-code'];
  return code === undefined ? task.status !== 'completed' : Number(code) !== 0;
}
