/** Checks tasks from outside: each runs at most once, and its status only advances (unit-agent.md#tasks-once). */
import type { TaskDoc, TaskStatus } from '../../core/task/document.ts';
import { isOpen } from '../../core/task/document.ts';

const next: Readonly<Partial<Record<TaskStatus, readonly TaskStatus[]>>> = {
  // Tasks may be removed with the unit that they wait for.
  pending: ['running', 'cancelled', 'aborted', 'failed'],
  running: ['aborting', 'completed', 'failed', 'aborted'],
  aborting: ['aborted', 'completed', 'failed'],
};

export class TaskHistory {
  /** Space and id of the tasks that have begun on a machine. */
  readonly #begun = new Set<string>();

  /** Checks a change of a task. Returns the violation, if any. */
  changes(before: TaskDoc | undefined, after: TaskDoc | undefined): string | undefined {
    if (!before || !after) return undefined;
    if (!isOpen(before)) return `task ${after.id} changed after it was ${before.status}`;
    if (before.status === after.status || next[before.status]?.includes(after.status)) return undefined;
    return `task ${after.id} was ${before.status} and is ${after.status}`;
  }

  /** Checks the begin of a task on a machine. Returns the violation, if any. */
  begins(space: string, id: string, task: TaskDoc | undefined): string | undefined {
    const key = `${space} ${id}`;
    if (this.#begun.has(key)) return `task ${id} runs twice`;
    this.#begun.add(key);
    if (task && task.started === undefined) return `task ${id} runs and is ${task.status}`;
    return undefined;
  }
}
