/** Results of tasks that were enqueued. */
import { call, type ResultOf } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { parseTag } from '../../wire/tags.ts';
import type { Operator } from '../operator.ts';

/** Time in milliseconds after which an event reports the tasks that are waited for. */
const reportDelayMs = 2000;

/** Report that so many of the tasks are taking long and have not ended. */
export interface TaskEvent {
  readonly kind: 'waiting for tasks';
  readonly open: number;
  readonly of: number;
}

export interface Task {
  /** Tag of the task: `action-2`. */
  readonly tag: string;
  readonly id: string;
  /** Unit name or machine id. */
  readonly receiver: string;
  /** Tag of the receiver: `unit-mysql-0`. */
  readonly receiverTag: string;
}
export type TaskResult = ResultOf<'Action', 'Actions'>['results'][number];

/** Returns the tasks' results in their order when all have ended. Errors: some have not ended after `waitMs`. */
export async function resultsOf(
  { clock, signal, report }: Operator<TaskEvent>,
  connection: Connection,
  tasks: readonly Task[],
  waitMs: number | undefined,
): Promise<readonly TaskResult[]> {
  const stopWaiting = new AbortController();
  const open = new Set(tasks.map(({ id }) => id));
  const after = (ms: number, then: () => void): void =>
    void clock.sleep(ms, stopWaiting.signal).then(then, () => undefined);
  after(reportDelayMs, () => report({ kind: 'waiting for tasks', open: open.size, of: tasks.length }));
  if (waitMs !== undefined) after(waitMs, () => stopWaiting.abort());
  try {
    await untilEnded(connection, open, AbortSignal.any([signal, stopWaiting.signal]));
  } catch (error) {
    if (signal.aborted || !stopWaiting.signal.aborted) throw error;
  } finally {
    stopWaiting.abort();
  }
  const { results } = await call(
    connection,
    'Action',
    'Actions',
    { entities: tasks.map(({ tag }) => ({ tag })) },
    { signal },
  );
  const late = tasks.filter((_, n) => !results[n]?.error && !hasEnded(results[n]?.status));
  if (late.length === 0) return results;
  throw new Error(`timed out waiting for results from: ${late.map(({ receiver }) => receiver).join(', ')}`);
}

/** Waits until all tasks have ended. The controller pushes the changes of tasks, so that there is no polling. */
async function untilEnded(connection: Connection, open: Set<string>, signal: AbortSignal): Promise<void> {
  const { 'watcher-id': id } = await call(connection, 'Client', 'WatchAll', {}, { signal });
  while (open.size > 0) {
    const { deltas } = await call(connection, 'AllWatcher', 'Next', {}, { id, signal });
    for (const [kind, change, entity] of deltas) {
      if (kind === 'action' && (change === 'remove' || hasEnded(entity['status'])))
        open.delete(String(entity['id']));
    }
  }
}

function hasEnded(status: unknown): boolean {
  return !['pending', 'running', 'aborting'].includes(String(status));
}

/** Makes a Task from the result of its enqueueing. */
export function taskOf(action: NonNullable<TaskResult['action']>): Task {
  const { tag, receiver } = action;
  return { tag, id: parseTag(tag).id, receiver: parseTag(receiver).id, receiverTag: receiver };
}
