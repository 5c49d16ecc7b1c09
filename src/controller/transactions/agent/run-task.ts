/** Task changes made by the agent of the task's receiver: start, log, finish. */
import { isOpen, type TaskDoc } from '../../../core/task/document.ts';
import { ended } from '../../../core/task/hidden.ts';
import { withLine } from '../../../core/task/log.ts';
import { JujuError } from '../../../core/errors.ts';
import { mustGet, type Tx } from '../tx.ts';

/** Starts a task. Errors: `not found`; `action no longer available` when the task was started or cancelled already. */
export function startTask(tx: Tx, args: { readonly task: string }): void {
  const task = mustGet(tx, 'task', args.task);
  if (task.status !== 'pending')
    throw new JujuError('action no longer available', 'action no longer available');
  tx.put('task', task.id, { ...task, status: 'running', started: tx.now });
}

/**
 * Adds a message to a task's log, which drops it when it is full. Errors: `not found`; '' when the task is not running.
 */
export function logTask(tx: Tx, args: { readonly task: string; readonly message: string }): void {
  const task = mustGet(tx, 'task', args.task);
  if (task.status !== 'running' && task.status !== 'aborting')
    throw new JujuError('', `cannot log message to task "${task.id}" with status ${task.status}`);
  const log = withLine(task.log ?? [], { timestamp: tx.now, message: args.message });
  if (log) tx.put('task', task.id, { ...task, log });
}

/** Finishes a task; the result of a task that has ended already is kept. Errors: `not found`. */
export function finishTask(
  tx: Tx,
  args: {
    readonly task: string;
    readonly outcome: Pick<TaskDoc, 'status' | 'message' | 'output' | 'sealedOutput'>;
  },
): void {
  const task = mustGet(tx, 'task', args.task);
  if (!isOpen(task)) return;
  tx.put('task', task.id, ended(task, { ...args.outcome, completed: tx.now }));
}
