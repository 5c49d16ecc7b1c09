import type { TaskRecord } from '../../wire/agent-records.ts';
import type { TaskOutcome, TaskSignals } from './tasks.ts';
import { anyOf } from '../../kit/on-abort.ts';

interface Waiting {
  readonly task: TaskRecord;
  readonly signal: AbortSignal;
  readonly settle: { resolve: (outcome: TaskOutcome) => void; reject: (error: unknown) => void };
}

/** Commands that are run on the machine in the unit's context, one after the other, without the controller. */
export class LocalCommands {
  readonly #waiting: Waiting[] = [];
  readonly #forced: AbortSignal;
  readonly #wake: () => void;

  /**
   * Creates the queue. `forced`: aborted when the unit is removed by force, which ends the command that runs. Otherwise
   * commands are not cancelled: the caller that waits for one ends it.
   */
  constructor(forced: AbortSignal, wake: () => void) {
    this.#forced = forced;
    this.#wake = wake;
  }

  /** Runs a command. Rejects when aborted, and with the errors of the run. */
  run(task: TaskRecord, signal: AbortSignal): Promise<TaskOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, signal, settle: { resolve, reject } });
      this.#wake();
    });
  }

  /** Runs the oldest waiting command. Returns false when there is none. */
  async runNext(
    run: (task: TaskRecord, signals: TaskSignals) => Promise<TaskOutcome>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const next = this.#waiting.shift();
    if (!next) return false;
    const either = anyOf(signal, next.signal);
    try {
      either.signal.throwIfAborted();
      next.settle.resolve(await run(next.task, { signal: either.signal, cancel: this.#forced }));
    } catch (error) {
      next.settle.reject(error);
      signal.throwIfAborted();
    } finally {
      either.done();
    }
    return true;
  }

  /** Rejects waiting commands because the unit's agent ends. */
  refuse(error: Error): void {
    for (const { settle } of this.#waiting.splice(0)) settle.reject(error);
  }
}
