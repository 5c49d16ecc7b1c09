import type { z } from 'zod';
import type { TaskDoc } from '../../../core/task/document.ts';
import type { actionResult } from '../../../wire/facades/action.ts';
import { actionTag, machineTag, unitTag } from '../../../wire/tags.ts';

export function describeTask(task: TaskDoc): z.input<typeof actionResult> {
  return {
    action: {
      tag: actionTag(task.id),
      receiver: task.receiverKind === 'unit' ? unitTag(task.receiver) : machineTag(task.receiver),
      name: task.name,
      parameters: task.parameters,
    },
    enqueued: task.enqueued,
    ...(task.started === undefined ? {} : { started: task.started }),
    ...(task.completed === undefined ? {} : { completed: task.completed }),
    status: task.status,
    ...(task.message === '' ? {} : { message: task.message }),
    ...(task.log ? { log: task.log } : {}),
    ...(Object.keys(task.output).length > 0 ? { output: task.output } : {}),
  };
}
