/** Commands and parameters in which contents of secrets may be typed (operations.md#secrets-in-parameters). */
import type { TaskDoc } from './document.ts';

/** Text that is stored and shown in place of a command that sets a secret. */
export const hiddenCommand = '(hidden: it sets a secret)';

export function mayHaveSecrets(command: string): boolean {
  return /\bsecret-(?:add|set)\b/.test(command);
}

/** Text that stands for a value that not everybody may see. */
export const hiddenValue = '*****';
/**
 * Values of secrets of fewer characters are hidden in no line of a log: they occur everywhere
 * (secrets.md#short-values).
 */
export const hiddenLengthMin = 4;

/** The names of parameters, without their values. */
export function hiddenParameters(parameters: TaskDoc['parameters']): TaskDoc['parameters'] {
  return Object.fromEntries(Object.keys(parameters).map((name) => [name, hiddenValue]));
}

/** The reason why parameters were refused, as it is kept: up to the first value, as that may be a secret. */
export function withoutValues(reason: string): string {
  const at = reason.startsWith('validation failed: ') ? reason.indexOf(', given ') : -1;
  return at === -1 ? reason : reason.slice(0, at);
}

/** A task that has ended, without the command that its agent needed. */
export function ended(
  task: TaskDoc,
  outcome: Pick<TaskDoc, 'status' | 'message'> &
    Partial<Pick<TaskDoc, 'output' | 'sealedOutput' | 'completed'>>,
): TaskDoc {
  const { sealed: _, ...rest } = task;
  return { ...rest, ...outcome };
}
