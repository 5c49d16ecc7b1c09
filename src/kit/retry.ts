import type { Clock } from './clock.ts';

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** Share of the delay that is random, 0 to 1. */
  readonly jitter: number;
}

/** Delay in milliseconds before attempt `n` (0 = the first retry). `random` gives 0 ≤ x < 1. */
export function backoffMs(backoff: Backoff, n: number, random: () => number): number {
  const base = Math.min(backoff.maxMs, backoff.firstMs * backoff.factor ** n);
  return Math.round(base * (1 - backoff.jitter + backoff.jitter * 2 * random()));
}

/** Runs `fn` until it succeeds, waiting between attempts; gives up when `retryable` says so or the signal aborts. */
export async function retry<T>(
  fn: (attempt: number) => Promise<T>,
  options: {
    clock: Clock;
    backoff: Backoff;
    random: () => number;
    signal?: AbortSignal;
    attempts?: number;
    retryable?: (error: unknown) => boolean;
    onFailure?: (error: unknown, delayMs: number, attempt: number) => void;
  },
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    options.signal?.throwIfAborted();
    try {
      return await fn(attempt);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      if (options.retryable && !options.retryable(error)) throw error;
      if (options.attempts !== undefined && attempt + 1 >= options.attempts) throw error;
      const delay = backoffMs(options.backoff, attempt, options.random);
      options.onFailure?.(error, delay, attempt);
      await options.clock.sleep(delay, options.signal);
    }
  }
}
