import type { z } from 'zod';
import { isOpen, type TaskDoc, type TaskStatus } from '../../../core/task/document.ts';
import type { OperationDoc } from '../../../core/operation/document.ts';
import type { actionResult, operationResult } from '../../../wire/facades/action.ts';
import { operationTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';
import type { AnswerSize } from '../shared/answer-size.ts';
import { pauseOf } from '../shared/pause.ts';
import { describeTask } from './describe-task.ts';
import { defined } from '../../../core/defined.ts';

/** Statuses by precedence: unfinished ones first; of the finished ones, first those that somebody should look at. */
const precedence = [
  'running',
  'aborting',
  'pending',
  'error',
  'failed',
  'aborted',
  'cancelled',
  'completed',
] as const satisfies readonly TaskStatus[];

/**
 * Describes the operation with its tasks, which count towards the answer's size; other calls run in between. Errors:
 * `quota limit exceeded`.
 */
export async function describeOperation(
  call: Call,
  operation: OperationDoc,
  size: AnswerSize,
): Promise<z.input<typeof operationResult>> {
  const pause = pauseOf(call);
  size.add(1 + operation.tasks.length);
  const tasks = tasksOf(call.read(), operation);
  const actions: z.input<typeof actionResult>[] = [];
  for (const task of tasks) {
    await pause();
    size.checkRoom();
    const described = describeTask(task, call);
    size.count(described);
    actions.push(described);
  }
  const status = operationStatus(operation, tasks);
  const started = tasks.flatMap((task) => task.started ?? []).sort()[0];
  const ended = tasks.flatMap((task) => task.completed ?? []).sort();
  const completed = isOpen({ status }) ? undefined : (ended.at(-1) ?? operation.enqueued);
  return {
    operation: operationTag(operation.id),
    summary: operation.summary,
    ...defined({ fail: operation.fail }),
    enqueued: operation.enqueued,
    ...defined({ started, completed }),
    status,
    actions,
  };
}

export function tasksOf(view: View, operation: OperationDoc): TaskDoc[] {
  return operation.tasks.flatMap((id) => view.get('task', id) ?? []);
}

/** Status of an operation (operations.md#operation-status). */
export function operationStatus(operation: OperationDoc, tasks: readonly TaskDoc[]): TaskStatus {
  if (operation.tasks.length === 0) return 'error';
  const status = precedence.find((one) => tasks.some((task) => task.status === one)) ?? 'completed';
  return status === 'completed' && operation.fail !== undefined ? 'error' : status;
}
