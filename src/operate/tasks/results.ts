/** Results of tasks that were enqueued. */
import { call, type ResultOf } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { parseTag } from '../../wire/tags.ts';
import type { Operator } from '../operator.ts';
import { JujuError } from '../../core/errors.ts';
import { anyOf } from '../../kit/on-abort.ts';

/** Time in milliseconds after which an event reports the tasks that are waited for. */
const reportDelayMs = 2000;

/** Events while tasks are waited for. */
export type TaskEvent =
  /** The number of tasks that take long and have not ended. */
  | { readonly kind: 'waiting for tasks'; readonly open: number; readonly of: number }
  /** A message that the action wrote with `action-log`. */
  | {
      readonly kind: 'task log';
      readonly task: string;
      /** RFC 3339. */
      readonly timestamp: string;
      readonly message: string;
    };

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

interface Waiting {
  /** Longest wait; undefined = as long as it takes. */
  readonly waitMs: number | undefined;
  /** Whether the messages of the tasks are reported as they come. */
  readonly log?: boolean;
}

/** Returns the tasks' results in their order when all have ended. Errors: some have not ended after `waitMs`. */
export async function resultsOf(
  operator: Operator<TaskEvent>,
  connection: Connection,
  tasks: readonly Task[],
  waiting: Waiting,
): Promise<readonly TaskResult[]> {
  const logs = waiting.log ? tasks.map((task) => new TaskLog(operator, connection, task)) : [];
  await untilTasksEnd(operator, connection, tasks, {
    ...waiting,
    meanwhile: (signal) => Promise.all(logs.map((one) => one.follow(signal))),
  });
  const { signal } = operator;
  const results = await readResults(
    connection,
    tasks.map(({ tag }) => tag),
    signal,
  );
  logs.forEach((one, n) => one.reportRest(results[n]?.log ?? []));
  const late = tasks.filter((_, n) => !results[n]?.error && isOpen(results[n]?.status));
  if (late.length === 0) return results;
  const names = late.map(({ receiver, receiverTag }) => `${parseTag(receiverTag).kind} ${receiver}`);
  throw new Error(`timed out waiting for results from: ${names.join(', ')}`);
}

/**
 * Reads tasks by tag, with as many requests as their outputs need: the room of an answer is limited (`limits.answer`).
 */
export async function readResults(
  connection: Connection,
  tags: readonly string[],
  signal: AbortSignal,
): Promise<TaskResult[]> {
  const found: TaskResult[] = [];
  while (found.length < tags.length) {
    const entities = tags.slice(found.length).map((tag) => ({ tag }));
    const { results } = await call(connection, 'Action', 'Actions', { entities }, { signal });
    const refused = results.findIndex(({ error }, n) => n > 0 && error?.code === 'quota limit exceeded');
    const read = refused < 0 ? results : results.slice(0, refused);
    if (read.length === 0) break;
    found.push(...read);
  }
  return found;
}

/** Waits until the tasks have ended, or for `waitMs`. `meanwhile` runs beside that, until its signal. */
async function untilTasksEnd(
  { clock, signal, report }: Operator<TaskEvent>,
  connection: Connection,
  tasks: readonly Task[],
  { waitMs, meanwhile }: Waiting & { meanwhile: (signal: AbortSignal) => Promise<unknown> },
): Promise<void> {
  const stopWaiting = new AbortController();
  const open = new Set(tasks.map(({ id }) => id));
  const after = (ms: number, then: () => void): void =>
    void clock.sleep(ms, stopWaiting.signal).then(then, () => undefined);
  after(reportDelayMs, () => report({ kind: 'waiting for tasks', open: open.size, of: tasks.length }));
  if (waitMs !== undefined) after(waitMs, () => stopWaiting.abort());
  const until = anyOf(signal, stopWaiting.signal);
  const beside = meanwhile(until.signal);
  try {
    await untilEnded(connection, open, until.signal);
  } catch (error) {
    if (signal.aborted || !stopWaiting.signal.aborted) throw error;
  } finally {
    stopWaiting.abort();
    until.done();
    await beside;
  }
}

/** Waits until all tasks have ended. The controller pushes the changes of tasks, so that there is no polling. */
async function untilEnded(connection: Connection, open: Set<string>, signal: AbortSignal): Promise<void> {
  const { 'watcher-id': id } = await call(connection, 'Client', 'WatchAll', {}, { signal });
  try {
    while (open.size > 0) {
      const { deltas } = await call(connection, 'AllWatcher', 'Next', {}, { id, signal });
      for (const [kind, change, entity] of deltas) {
        if (kind === 'action' && (change === 'remove' || !isOpen(entity['status'])))
          open.delete(String(entity['id']));
      }
    }
  } finally {
    void call(connection, 'AllWatcher', 'Stop', {}, { id }).catch(() => undefined);
  }
}

/** Reports the messages of one task, each once. */
class TaskLog {
  readonly #operator: Operator<TaskEvent>;
  readonly #connection: Connection;
  readonly #task: Task;
  #reported = 0;

  constructor(operator: Operator<TaskEvent>, connection: Connection, task: Task) {
    this.#operator = operator;
    this.#connection = connection;
    this.#task = task;
  }

  /** Reports the messages as they come, until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    try {
      const entities = [{ tag: this.#task.tag }];
      const { results } = await call(
        this.#connection,
        'Action',
        'WatchActionsProgress',
        { entities },
        { signal },
      );
      const { 'watcher-id': id, changes, error } = results[0] ?? {};
      if (id === undefined || error) return;
      this.#report(changes ?? []);
      for (;;) {
        const next = await call(this.#connection, 'StringsWatcher', 'Next', {}, { id, signal });
        this.#report(next.changes ?? []);
      }
    } catch (error) {
      // Messages that are missing come with the result of the task.
      if (!signal.aborted && !(error instanceof JujuError)) throw error;
    }
  }

  /** Reports those of all the messages that have not been reported. */
  reportRest(all: readonly { readonly timestamp: string; readonly message: string }[]): void {
    for (const line of all.slice(this.#reported)) this.#line(line);
  }

  #report(texts: readonly string[]): void {
    for (const text of texts) this.#line(JSON.parse(text) as { timestamp: string; message: string });
  }

  #line({ timestamp, message }: { timestamp: string; message: string }): void {
    this.#reported += 1;
    this.#operator.report({ kind: 'task log', task: this.#task.id, timestamp, message });
  }
}

/** Whether a task, or an operation, of this status has not ended. */
export function isOpen(status: unknown): boolean {
  return ['pending', 'running', 'aborting'].includes(String(status));
}

/** Makes a Task from the result of its enqueueing. */
export function taskOf(action: NonNullable<TaskResult['action']>): Task {
  const { tag, receiver } = action;
  return { tag, id: parseTag(tag).id, receiver: parseTag(receiver).id, receiverTag: receiver };
}
