import type { Operator } from '../operator.ts';

/** Delay before the first check, in milliseconds, as in Juju's client. The delays grow up to 2 s. */
const firstDelayMs = 50;
const maxDelayMs = 2000;

/** State that does not yet meet the condition, one event per check. */
export interface WaitEvent<S> {
  readonly kind: 'waiting';
  readonly state: S;
}

/**
 * Calls `check` until it returns undefined, and reports each other value. Errors: those that `check` throws;
 * onTimeout's.
 */
export async function poll<S>(
  { clock, signal, report }: Operator<WaitEvent<S>>,
  options: {
    readonly check: () => Promise<S | undefined>;
    readonly timeoutMs: number | undefined;
    readonly onTimeout: () => Error;
  },
): Promise<void> {
  const start = clock.now();
  for (let delay = firstDelayMs; ; delay = Math.min(maxDelayMs, delay * 1.5)) {
    const state = await options.check();
    if (state === undefined) return;
    report({ kind: 'waiting', state });
    if (options.timeoutMs !== undefined && clock.now() - start >= options.timeoutMs)
      throw options.onTimeout();
    await clock.sleep(delay, signal);
  }
}
