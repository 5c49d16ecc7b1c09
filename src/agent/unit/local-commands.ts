import type { TaskRecord } from '../../wire/agent-records.ts';
import type { TaskOutcome, TaskSignals } from './tasks.ts';

/** Nobody cancels these commands: whoever waits for one ends it. */
const never = new AbortController().signal;

interface Waiting {
  readonly task: TaskRecord;
  readonly signal: AbortSignal;
  readonly settle: { resolve: (outcome: TaskOutcome) => void; reject: (error: unknown) => void };
}

/** Commands that are run on the machine in the unit's context, one after the other, without the controller. */
export class LocalCommands {
  readonly #waiting: Waiting[] = [];
  readonly #wake: () => void;

  constructor(wake: () => void) {
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
    const either = AbortSignal.any([signal, next.signal]);
    try {
      either.throwIfAborted();
      next.settle.resolve(await run(next.task, { signal: either, cancel: never }));
    } catch (error) {
      next.settle.reject(error);
      signal.throwIfAborted();
    }
    return true;
  }

  /** Rejects waiting commands because the unit's agent ends. */
  refuse(error: Error): void {
    for (const { settle } of this.#waiting.splice(0)) settle.reject(error);
  }
}
