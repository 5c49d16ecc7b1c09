import type { z } from 'zod';
import type { TaskDoc } from '../../../core/task/document.ts';
import type { actionResult } from '../../../wire/facades/action.ts';
import { actionTag, machineTag, unitTag } from '../../../wire/tags.ts';
import { defined } from '../../../core/defined.ts';

export function describeTask(task: TaskDoc): z.input<typeof actionResult> {
  return {
    action: {
      tag: actionTag(task.id),
      receiver: task.receiverKind === 'unit' ? unitTag(task.receiver) : machineTag(task.receiver),
      name: task.name,
      parameters: task.parameters,
    },
    enqueued: task.enqueued,
    ...defined({ started: task.started, completed: task.completed }),
    status: task.status,
    ...defined({
      message: task.message || undefined,
      log: task.log,
      output: Object.keys(task.output).length > 0 ? task.output : undefined,
    }),
  };
}
