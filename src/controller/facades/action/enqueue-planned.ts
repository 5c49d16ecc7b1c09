import { operationTag } from '../../../wire/tags.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { enqueueTasks, type PlannedAction } from '../../transactions/begin/enqueue-tasks.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { itemError } from '../shared/bulk.ts';
import { describeTask } from './describe-task.ts';
import type { Receiver } from './receivers.ts';
import { defined } from '../../../core/defined.ts';

type Refused = {
  readonly error: ReturnType<typeof itemError>;
  /** What the receiver was asked for, when there is one: it is kept as a rejected task. */
  readonly rejected?: Receiver & { readonly action: PlannedAction };
};

/** Planned task of one receiver, or the reason why it has nothing to run. */
export type Planned = (Receiver & { readonly action: PlannedAction }) | Refused;

/** Returns what `make` returns, or the error that it throws, as it is sent. */
export function planned<T>(call: Call, make: () => T): T | Pick<Refused, 'error'> {
  try {
    return make();
  } catch (error) {
    return { error: itemError(call, error) };
  }
}

/**
 * Enqueues one operation with a task for each receiver; the errors of those that cannot run it are reported at their
 * places, in their tasks and in the operation (operations.md#rejected-tasks).
 */
export function enqueuePlanned(
  tx: Tx,
  { summary, all }: { summary: string; all: readonly Planned[] },
): ResultOf<typeof spec, 'EnqueueOperation'> {
  const receivers = all.flatMap((one) => {
    if (!('error' in one)) return [one];
    const { rejected, error } = one;
    return rejected ? [{ ...rejected, action: { ...rejected.action, rejected: error.message } }] : [];
  });
  const problems = [...new Set(all.flatMap((one) => ('error' in one ? [one.error.message] : [])))];
  const fail = problems.length > 0 ? `error(s) enqueueing action(s): ${problems.join(', ')}` : undefined;
  const { id, tasks } = enqueueTasks(tx, { summary, receivers, ...defined({ fail }) });
  const described = tasks.map((task) => describeTask(mustGet(tx, 'task', task))).values();
  return {
    operation: operationTag(id),
    actions: all.map((one) => {
      const task = 'error' in one && !one.rejected ? {} : described.next().value!;
      return 'error' in one ? { ...task, error: one.error } : task;
    }),
  };
}
