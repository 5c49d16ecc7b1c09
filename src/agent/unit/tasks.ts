import { JujuError, hasCode } from '../../core/errors.ts';
import { cut, limits } from '../../core/limits.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import type { AgentApi } from '../uplink.ts';
import type { Mirror } from '../mirror.ts';
import { anyOf } from '../../kit/on-abort.ts';

export type TaskOutcome = Omit<MachineAgentMethods['FinishTask']['params'], 'id'>;

export interface TaskSignals {
  /** Aborted when the agent ends: the task is killed, and nothing is reported. */
  readonly signal: AbortSignal;
  /** Aborted when the task was cancelled: the task is asked to end, and killed when it does not. */
  readonly cancel: AbortSignal;
}

interface TasksOptions {
  readonly receiver: string;
  readonly api: AgentApi;
  readonly mirror: Pick<Mirror, 'task' | 'tasks'>;
  /** Aborted when the receiver is removed by force: its tasks are cancelled (removal.md#force-cancels-tasks). */
  readonly forced: AbortSignal;
  /** Message of a task that fails because an earlier agent had begun it. */
  readonly lost: string;
}

export const terminated = 'action terminated';
/** Message of a task that a restored controller has open, and that may have run since the backup. */
const forgotten = 'the controller was restored from a backup, and the task may have run after that was made';

/** Runs one task. Rejects when the agent ends, and with errors of the task. */
type RunTask = (task: TaskRecord, signals: TaskSignals) => Promise<TaskOutcome>;

/**
 * Runs the tasks of one receiver, in their order, each at most once: a task that an earlier agent had begun fails and
 * never runs again (unit-agent.md#tasks-once).
 */
export class Tasks {
  readonly #options: TasksOptions;
  /** Tasks that this process has begun or given up. */
  readonly #begunHere = new Set<string>();
  readonly #finished = new Set<string>();
  /** Tasks whose answer to StartTask was lost. */
  readonly #startUnknown = new Set<string>();
  readonly #running = new Map<string, AbortController>();
  /**
   * Tasks that no agent has begun yet: the controller said so when no restore had made it forget one. An earlier
   * process may have run any other that a restored controller names.
   */
  readonly #unbegun = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#noteUnbegun();
  }

  /** Cancels the running tasks that have been cancelled. */
  onChange(): void {
    const { mirror } = this.#options;
    this.#noteUnbegun();
    for (const id of this.#finished) if (!mirror.task(id)) this.#finished.delete(id);
    for (const [id, cancel] of this.#running) {
      const status = mirror.task(id)?.status;
      if (status === undefined || status === 'cancelled' || status === 'aborting')
        cancel.abort(new JujuError('action no longer available', 'task was cancelled'));
    }
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #noteUnbegun(): void {
    const { mirror, receiver } = this.#options;
    // One that is gone may have been cancelled, which a restored controller does not know.
    for (const id of this.#unbegun) if (!mirror.task(id)) this.#unbegun.delete(id);
    for (const { id, status, restore } of mirror.tasks(receiver))
      if (status === 'pending' && restore === undefined && !this.#begunHere.has(id)) this.#unbegun.add(id);
  }

  /** Runs the oldest task. Returns false when there is none. */
  async runNext(run: RunTask, signal: AbortSignal): Promise<boolean> {
    const task = this.#next();
    if (!task) return false;
    await this.#attend(task, run, signal);
    return true;
  }

  /** Runs tasks until there are none, up to `most` at the same time. */
  async runAll(run: RunTask, signal: AbortSignal, most: number): Promise<void> {
    const attended = new Set<Promise<void>>();
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => undefined);
    try {
      for (;;) {
        signal.throwIfAborted();
        const changed = this.#changed.promise;
        const task = attended.size < most ? this.#next() : undefined;
        if (task) {
          const one = this.#attend(task, run, signal).catch(failure.reject);
          attended.add(one);
          void one.then(() => attended.delete(one));
          continue;
        }
        if (attended.size === 0) return;
        await Promise.race([...attended, changed, failure.promise]);
      }
    } finally {
      if (signal.aborted) await Promise.all(attended);
    }
  }

  /** Returns the oldest task that is not finished and not run here. */
  #next(): TaskRecord | undefined {
    const { mirror, receiver } = this.#options;
    return mirror.tasks(receiver).find(({ id }) => !this.#finished.has(id) && !this.#running.has(id));
  }

  async #attend(task: TaskRecord, run: RunTask, signal: AbortSignal): Promise<void> {
    const { id } = task;
    const aborting = task.status === 'aborting';
    const isLost = task.status === 'running' && !this.#begunHere.has(id);
    const isForgotten = task.restore !== undefined && !this.#unbegun.has(id);
    if (isForgotten || isLost || aborting) {
      const status = aborting ? 'aborted' : 'failed';
      const message = aborting ? terminated : isForgotten ? forgotten : this.#options.lost;
      return this.#finish({ id, status, message, output: {} }, signal);
    }
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    const either = anyOf(cancel.signal, this.#options.forced);
    try {
      if (task.status === 'pending' && !(await this.#begin(id, signal))) return;
      this.#unbegun.delete(id);
      const outcome = await outcomeOf(run, task, { signal, cancel: either.signal });
      await this.#finish({ id, ...outcome }, signal);
    } finally {
      either.done();
      this.#running.delete(id);
    }
  }

  /** Returns false when the task must not run, or when that is not known yet. */
  async #begin(id: string, signal: AbortSignal): Promise<boolean> {
    this.#begunHere.add(id);
    try {
      await this.#options.api.call('StartTask', { id }, { signal, once: true });
      return true;
    } catch (error) {
      // The stream will say whether the task has begun: as pending, running or removed.
      if (hasCode(error, 'try again')) this.#startUnknown.add(id);
      if (this.#startUnknown.has(id) || !(error instanceof JujuError)) throw error;
      this.#finished.add(id);
      return false;
    }
  }

  async #finish(params: MachineAgentMethods['FinishTask']['params'], signal: AbortSignal): Promise<void> {
    this.#finished.add(params.id);
    try {
      await this.#options.api.call('FinishTask', params, { signal });
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      // The shown output and the one with secrets may be too large together for one request.
      const { revealed, ...hidden } = params;
      if (revealed) return this.#finish(hidden, signal);
      // The refused output is too long, or has a form that no request may have: the task ends without it, with the
      // reason as its message. For a task that is gone meanwhile this call is refused, too.
      const message = cut(limits.statusMessage, error.message);
      const status = params.status === 'aborted' ? 'aborted' : 'failed';
      await this.#options.api
        .call('FinishTask', { id: params.id, status, message, output: {} }, { signal })
        .catch((again: unknown) => {
          if (!(again instanceof JujuError)) throw again;
        });
    }
  }
}

async function outcomeOf(run: RunTask, task: TaskRecord, signals: TaskSignals): Promise<TaskOutcome> {
  const { signal, cancel } = signals;
  if (task.problem !== undefined) return { status: 'failed', message: task.problem, output: {} };
  const aborted = (output: TaskOutcome['output']): TaskOutcome => ({
    status: 'aborted',
    message: terminated,
    output,
  });
  try {
    const outcome = await run(task, signals);
    return cancel.aborted ? aborted(outcome.output) : outcome;
  } catch (error) {
    signal.throwIfAborted();
    if (cancel.aborted) return aborted({});
    return { status: 'failed', message: error instanceof Error ? error.message : String(error), output: {} };
  }
}
