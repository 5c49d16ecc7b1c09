/** Calls of the cloud with a limit of time, and the steps that must wait for late calls (storage.md#silent-calls). */
import { timeLimit, type Clock } from '../../kit/clock.ts';
import { onAbort } from '../../kit/on-abort.ts';

/** Times in which the cloud must answer a call, and may after that still carry it out, in milliseconds. */
export const silence = { answerMs: 5 * 60_000, lateMs: 15 * 60_000 } as const;

interface Options {
  readonly clock: Clock;
  /** Time in which the cloud must answer, in milliseconds. */
  readonly answerMs: number;
  /** Time after the limit in which the cloud may still carry out the call. */
  readonly lateMs: number;
  /** Called when a late call of the key has been carried out, or cannot be any more. */
  readonly onEnd: (key: string) => void;
}

export class LimitedCalls {
  readonly #options: Options;
  /** Steps of late calls by key. */
  readonly #late = new Map<string, Set<{ readonly step: string }>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Makes a call, whose signal aborts at the limit. Errors: the call's; plain Error when the cloud does not answer. */
  async ask<T>(
    { key, step }: { readonly key: string; readonly step: string },
    call: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { clock, answerMs } = this.#options;
    signal.throwIfAborted();
    const limit = timeLimit(clock, answerMs, signal);
    const silence = Promise.withResolvers<never>();
    const forget = onAbort(limit.signal, () => silence.reject(limit.signal.reason as Error));
    const answer = call(limit.signal);
    try {
      return await Promise.race([answer, silence.promise]);
    } catch (error) {
      if (!limit.signal.aborted || signal.aborted) throw error;
      this.#passed(key, step, answer, signal);
      throw new Error(`the cloud has not answered for ${answerMs / 60_000} minutes`, { cause: error });
    } finally {
      forget();
      limit.done();
    }
  }

  /** Whether a late call of one of the steps may still be carried out. */
  mayCome(key: string, steps: readonly string[]): boolean {
    return [...(this.#late.get(key) ?? [])].some(({ step }) => steps.includes(step));
  }

  #passed(key: string, step: string, answer: Promise<unknown>, signal: AbortSignal): void {
    const { clock, lateMs, onEnd } = this.#options;
    const late = { step };
    const all = this.#late.get(key) ?? new Set();
    this.#late.set(key, all.add(late));
    const end = (): void => {
      if (!all.delete(late)) return;
      if (all.size === 0) this.#late.delete(key);
      onEnd(key);
    };
    // A call that fails now fails because its signal has aborted: the cloud may carry it out all the same.
    answer.then(end, () => undefined);
    clock.sleep(lateMs, signal).then(end, () => undefined);
  }
}
