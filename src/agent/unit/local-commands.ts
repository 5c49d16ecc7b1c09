import type { TaskRecord } from '../../wire/agent-records.ts';
import type { TaskOutcome } from './tasks.ts';

interface Waiting {
  readonly task: TaskRecord;
  readonly signal: AbortSignal;
  readonly settle: { resolve: (outcome: TaskOutcome) => void; reject: (error: unknown) => void };
}

/** Commands that somebody on the machine runs in the unit's context, one after the other: the controller knows nothing of them. */
export class LocalCommands {
  readonly #waiting: Waiting[] = [];
  readonly #wake: () => void;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Rejects when aborted, and with what the run throws. */
  run(task: TaskRecord, signal: AbortSignal): Promise<TaskOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, signal, settle: { resolve, reject } });
      this.#wake();
    });
  }

  /** False when nobody waits. */
  async runNext(
    run: (task: TaskRecord, signal: AbortSignal) => Promise<TaskOutcome>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const next = this.#waiting.shift();
    if (!next) return false;
    const either = AbortSignal.any([signal, next.signal]);
    try {
      either.throwIfAborted();
      next.settle.resolve(await run(next.task, either));
    } catch (error) {
      next.settle.reject(error);
      signal.throwIfAborted();
    }
    return true;
  }

  /** The unit's agent ends. */
  refuse(error: Error): void {
    for (const { settle } of this.#waiting.splice(0)) settle.reject(error);
  }
}
