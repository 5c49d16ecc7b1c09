/** What the agent of its receiver does with a task: starts it, logs for it, finishes it. */
import { isOpen, type TaskDoc } from '../../../core/task/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { mustGet, type Tx } from '../tx.ts';

/** Errors: `not found`; `action no longer available` when it was started or cancelled meanwhile. */
export function startTask(tx: Tx, args: { readonly task: string }): void {
  const task = mustGet(tx, 'task', args.task);
  if (task.status !== 'pending')
    throw new JujuError('action no longer available', 'action no longer available');
  tx.put('task', task.id, { ...task, status: 'running', started: tx.now });
}

/** Errors: `not found`; '' when the task does not run. */
export function logTask(tx: Tx, args: { readonly task: string; readonly message: string }): void {
  const task = mustGet(tx, 'task', args.task);
  if (task.status !== 'running' && task.status !== 'aborting')
    throw new JujuError('', `cannot log message to task "${task.id}" with status ${task.status}`);
  const line = { timestamp: tx.now, message: args.message };
  tx.put('task', task.id, { ...task, log: [...(task.log ?? []), line] });
}

/** A task that has ended stays as it ended. Errors: `not found`. */
export function finishTask(
  tx: Tx,
  args: { readonly task: string; readonly outcome: Pick<TaskDoc, 'status' | 'message' | 'output'> },
): void {
  const task = mustGet(tx, 'task', args.task);
  if (!isOpen(task)) return;
  const { status, message, output } = args.outcome;
  tx.put('task', task.id, { ...task, status, message, output, completed: tx.now });
}
