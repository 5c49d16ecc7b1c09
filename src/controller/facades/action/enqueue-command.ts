import { JujuError } from '../../../core/errors.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import { operationTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { enqueueTasks } from '../../transactions/enqueue-tasks.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { describeTask } from './describe-task.ts';
import type { Receiver } from './receivers.ts';

/** The same command on each of the receivers, each once. Errors: `not found`, `not assigned`, `bad request` (no receivers, no command). */
export async function enqueueCommand(
  call: Call,
  params: ParamsOf<typeof spec, 'Run'>,
  receiversIn: (tx: Tx) => Receiver[],
): Promise<ResultOf<typeof spec, 'Run'>> {
  const { commands, timeout } = params;
  if (commands.trim() === '') throw new JujuError('bad request', 'no commands specified');
  return changeModel(call, (tx) => {
    const receivers = unique(receiversIn(tx));
    if (receivers.length === 0) throw new JujuError('bad request', 'no targets specified');
    const { id, tasks } = enqueueTasks(tx, {
      summary: `exec run on ${receivers.map(({ kind, name }) => (kind === 'machine' ? `machine-${name}` : name)).join(',')}`,
      receivers,
      name: 'juju-exec',
      parameters: { command: commands, ...(timeout > 0 ? { timeout } : {}) },
    });
    return {
      operation: operationTag(id),
      actions: tasks.map((task) => describeTask(mustGet(tx, 'task', task))),
    };
  });
}

function unique(receivers: readonly Receiver[]): Receiver[] {
  return [...new Map(receivers.map((one) => [`${one.kind} ${one.name}`, one])).values()];
}
