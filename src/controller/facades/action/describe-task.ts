import type { z } from 'zod';
import type { TaskDoc } from '../../../core/task/document.ts';
import type { actionResult } from '../../../wire/facades/action.ts';
import { actionTag, machineTag, unitTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { modelAccess } from '../shared/model-access.ts';
import { defined } from '../../../core/defined.ts';

/** A task as the caller may see it; without a caller, without contents of secrets. */
export function describeTask(task: TaskDoc, call?: Call): z.input<typeof actionResult> {
  const output = call ? outputOf(call, task) : task.output;
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
      output: Object.keys(output).length > 0 ? output : undefined,
    }),
  };
}

/** What an output has of secrets is for those who may run actions. */
function outputOf(call: Call, { output, sealedOutput }: TaskDoc): TaskDoc['output'] {
  if (sealedOutput === undefined) return output;
  const access = modelAccess(call, call.modelUuid);
  if (access !== 'admin' && access !== 'write') return output;
  return JSON.parse(call.services.sealer.open(sealedOutput)) as TaskDoc['output'];
}
