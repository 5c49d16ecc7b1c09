import { operationTag } from '../../../wire/tags.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { enqueueTasks, type PlannedAction } from '../../transactions/begin/enqueue-tasks.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { itemError } from '../shared/bulk.ts';
import { describeTask } from './describe-task.ts';
import type { Receiver } from './receivers.ts';
import { defined } from '../../../core/defined.ts';

type Refused = { readonly error: ReturnType<typeof itemError> };

/** Planned task of one receiver, or the reason why it gets none. */
export type Planned = (Receiver & { readonly action: PlannedAction }) | Refused;

/** Returns what `make` returns, or the error that it throws, as it is sent. */
export function planned<T>(call: Call, make: () => T): T | Refused {
  try {
    return make();
  } catch (error) {
    return { error: itemError(call, error) };
  }
}

/**
 * Enqueues one operation with a task for each receiver that can have one; the errors of the others are reported at
 * their places, and in the operation.
 */
export function enqueuePlanned(
  tx: Tx,
  { summary, all }: { summary: string; all: readonly Planned[] },
): ResultOf<typeof spec, 'EnqueueOperation'> {
  const receivers = all.flatMap((one) => ('error' in one ? [] : [one]));
  const problems = [...new Set(all.flatMap((one) => ('error' in one ? [one.error.message] : [])))];
  const fail = problems.length > 0 ? `error(s) enqueueing action(s): ${problems.join(', ')}` : undefined;
  const { id, tasks } = enqueueTasks(tx, { summary, receivers, ...defined({ fail }) });
  const taskDocs = tasks.map((task) => mustGet(tx, 'task', task)).values();
  return {
    operation: operationTag(id),
    actions: all.map((one) => ('error' in one ? one : describeTask(taskDocs.next().value!))),
  };
}
