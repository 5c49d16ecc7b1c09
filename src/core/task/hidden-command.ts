/** Commands of `exec` in which the content of a secret may be typed (operations.md#secrets-in-commands). */
import type { TaskDoc } from './document.ts';

/** What is stored and shown in place of such a command. */
export const hiddenCommand = '(hidden: it sets a secret)';

export function mayHaveSecrets(command: string): boolean {
  return /\bsecret-(?:add|set)\b/.test(command);
}

/** A task that has ended: without the command that its agent needed. */
export function ended(
  task: TaskDoc,
  outcome: Pick<TaskDoc, 'status' | 'message'> &
    Partial<Pick<TaskDoc, 'output' | 'sealedOutput' | 'completed'>>,
): TaskDoc {
  const { sealed: _, ...rest } = task;
  return { ...rest, ...outcome };
}
