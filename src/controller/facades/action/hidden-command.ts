import { hiddenCommand, mayHaveSecrets } from '../../../core/task/hidden-command.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { Call } from '../../facade.ts';
import type { PlannedAction } from '../../transactions/begin/enqueue-tasks.ts';

/**
 * The parameters of `juju-exec` for its task: a command that may have secrets is sealed, and hidden in them.
 * Errors: `quota limit exceeded`.
 */
export function withCommand(
  call: Call,
  parameters: Readonly<Record<string, unknown>>,
): Pick<PlannedAction, 'parameters' | 'sealed'> {
  const { command } = parameters;
  if (typeof command !== 'string' || !mayHaveSecrets(command)) return { parameters };
  checkLimit(limits.taskParameters, Buffer.byteLength(command));
  return {
    parameters: { ...parameters, command: hiddenCommand },
    sealed: call.services.sealer.seal(command),
  };
}
