import type { z } from 'zod';
import type { OperationDoc, TaskDoc } from '../../../core/entities.ts';
import type { operationResult } from '../../../wire/facades/action.ts';
import { operationTag } from '../../../wire/tags.ts';
import type { View } from '../../transactions/tx.ts';
import { describeTask } from './describe-task.ts';

/** Begun and not ended first; of the ended, the one that somebody should look at. */
const precedence = [
  'running',
  'pending',
  'error',
  'failed',
  'aborted',
  'cancelled',
  'completed',
] as const satisfies readonly TaskDoc['status'][];

export function describeOperation(view: View, operation: OperationDoc): z.input<typeof operationResult> {
  const tasks = tasksOf(view, operation);
  const status = operationStatus(tasks);
  const started = tasks.flatMap((task) => task.started ?? []).sort()[0];
  const ended = status !== 'running' && status !== 'pending';
  const completed = ended
    ? tasks
        .flatMap((task) => task.completed ?? [])
        .sort()
        .at(-1)
    : undefined;
  return {
    operation: operationTag(operation.id),
    summary: operation.summary,
    enqueued: operation.enqueued,
    ...(started === undefined ? {} : { started }),
    ...(completed === undefined ? {} : { completed }),
    status,
    actions: tasks.map(describeTask),
  };
}

export function tasksOf(view: View, operation: OperationDoc): TaskDoc[] {
  return operation.tasks.flatMap((id) => view.get('task', id) ?? []);
}

export function operationStatus(tasks: readonly TaskDoc[]): TaskDoc['status'] {
  return precedence.find((status) => tasks.some((task) => task.status === status)) ?? 'completed';
}
