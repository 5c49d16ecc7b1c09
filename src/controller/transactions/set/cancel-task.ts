import type { TaskDoc } from '../../../core/task/document.ts';
import { ended } from '../../../core/task/hidden.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * Cancels a task that has not started; a running task is ended by its agent, others stay unchanged. Returns the task.
 * Errors: `not found`.
 */
export function cancelTask(tx: Tx, args: { task: string }): TaskDoc {
  const task = mustGet(tx, 'task', args.task);
  if (task.status === 'running') {
    const aborting: TaskDoc = { ...task, status: 'aborting' };
    tx.put('task', task.id, aborting);
    return aborting;
  }
  if (task.status !== 'pending') return task;
  const cancelled = ended(task, {
    status: 'cancelled',
    message: 'action cancelled via the API',
    completed: tx.now,
  });
  tx.put('task', task.id, cancelled);
  return cancelled;
}
