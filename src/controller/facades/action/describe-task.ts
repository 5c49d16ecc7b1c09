import type { z } from 'zod';
import type { TaskDoc } from '../../../core/task/document.ts';
import type { actionResult } from '../../../wire/facades/action.ts';
import { actionTag, machineTag, unitTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { modelAccess } from '../shared/model-access.ts';
import { defined } from '../../../core/defined.ts';

type Described = z.input<typeof actionResult>;

/** A task as the caller may see it. */
export function describeTask(task: TaskDoc, call: Call): Described {
  return taskDescriber(call)(task);
}

/**
 * Returns describeTask for many tasks of one request: parameters that they share are opened once. `openedTexts`: opened
 * parameters by their sealed texts.
 */
export function taskDescriber(
  call: Call,
  openedTexts = new Map<string, TaskDoc['output']>(),
): (task: TaskDoc) => Described {
  const open = (sealed: string): TaskDoc['output'] => {
    let opened = openedTexts.get(sealed);
    if (!opened)
      openedTexts.set(sealed, (opened = JSON.parse(call.services.sealer.open(sealed)) as TaskDoc['output']));
    return opened;
  };
  return (task) => {
    const { parameters, output, sealedParameters, sealedOutput } = task;
    const shown = (sealed: string | undefined, masked: TaskDoc['output']): TaskDoc['output'] => {
      if (sealed === undefined || !maySee(call)) return masked;
      try {
        return open(sealed);
      } catch (error) {
        // A task that cannot be opened must not hide all others.
        call.services.log.warning('cannot open what a task has sealed', { task: task.id, error });
        return masked;
      }
    };
    return described(task, {
      parameters: shown(sealedParameters, parameters),
      output: shown(sealedOutput, output),
    });
  };
}

function described(task: TaskDoc, { parameters, output }: Visible): Described {
  return {
    action: {
      tag: actionTag(task.id),
      receiver: task.receiverKind === 'unit' ? unitTag(task.receiver) : machineTag(task.receiver),
      name: task.name,
      parameters,
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

type Visible = Pick<TaskDoc, 'parameters' | 'output'>;

/** True for callers who may run actions: only they see parameters, and secrets in outputs. */
function maySee(call: Call): boolean {
  const access = modelAccess(call, call.modelUuid);
  return access === 'admin' || access === 'write';
}
