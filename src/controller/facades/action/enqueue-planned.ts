import { operationTag } from '../../../wire/tags.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { enqueueTasks, type PlannedAction } from '../../transactions/begin/enqueue-tasks.ts';
import type { Tx } from '../../transactions/tx.ts';
import { itemError } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { pauseOf } from '../shared/pause.ts';
import { taskDescriber } from './describe-task.ts';
import type { ParameterSeal } from './seal-parameters.ts';
import type { Receiver } from './receivers.ts';
import { withoutValues } from '../../../core/task/hidden.ts';
import { defined } from '../../../core/defined.ts';
import { withoutStacks } from '../../../core/errors.ts';

type Refused = {
  readonly error: ReturnType<typeof itemError>;
  /** Action that an existing receiver was asked for: it is kept as a rejected task. */
  readonly rejected?: Receiver & { readonly action: PlannedAction };
};

/** Planned task of one receiver, or the reason why it has nothing to run. */
export type Planned = (Receiver & { readonly action: PlannedAction }) | Refused;

/** Returns what `make` returns, or the error that it throws, as it is sent. */
export function planned<T>(call: Call, make: () => T): T | Pick<Refused, 'error'> {
  try {
    return withoutStacks(make);
  } catch (error) {
    return { error: itemError(call, error) };
  }
}

/**
 * Enqueues one operation with a task for each receiver; the errors of those that cannot run it are reported at their
 * places, in their tasks and in the operation (operations.md#rejected-tasks). Other calls are served between the
 * transaction and the answer's parts.
 */
export async function enqueuePlanned(
  call: Call,
  seal: ParameterSeal,
  plan: (tx: Tx) => { readonly summary: string; readonly all: readonly Planned[] },
): Promise<ResultOf<typeof spec, 'EnqueueOperation'>> {
  const { all, operation, tasks } = await changeModel(call, (tx) => {
    const { summary, all } = plan(tx);
    return { all, ...enqueueAll(tx, summary, all) };
  });
  const describe = taskDescriber(call, seal.opened);
  const pause = pauseOf(call);
  const actions: ResultOf<typeof spec, 'EnqueueOperation'>['actions'][number][] = [];
  const left = tasks.values();
  for (const one of all) {
    await pause();
    const task = 'error' in one && !one.rejected ? {} : describe(left.next().value!);
    actions.push('error' in one ? { ...task, error: one.error } : task);
  }
  return { operation: operationTag(operation.id), actions };
}

function enqueueAll(tx: Tx, summary: string, all: readonly Planned[]): ReturnType<typeof enqueueTasks> {
  const receivers = all.flatMap((one) => {
    if (!('error' in one)) return [one];
    const { rejected, error } = one;
    return rejected
      ? [{ ...rejected, action: { ...rejected.action, rejected: withoutValues(error.message) } }]
      : [];
  });
  const problems = [
    ...new Set(all.flatMap((one) => ('error' in one ? [withoutValues(one.error.message)] : []))),
  ];
  const fail = problems.length > 0 ? `error(s) enqueueing action(s): ${problems.join(', ')}` : undefined;
  return enqueueTasks(tx, { summary, receivers, ...defined({ fail }) });
}
