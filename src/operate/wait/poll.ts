import type { Operator } from '../operator.ts';

/** Juju asks first after 50 ms, then ever less often, at least every 2 s. */
const firstMs = 50;
const maxMs = 2000;

/** What is not yet as it should be, at each look. */
export interface WaitEvent<S> {
  readonly kind: 'waiting';
  readonly state: S;
}

/**
 * Asks `check` until it returns undefined, and reports what it returns otherwise. Errors: what `check` throws;
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
  for (let delay = firstMs; ; delay = Math.min(maxMs, delay * 1.5)) {
    const state = await options.check();
    if (state === undefined) return;
    report({ kind: 'waiting', state });
    if (options.timeoutMs !== undefined && clock.now() - start >= options.timeoutMs)
      throw options.onTimeout();
    await clock.sleep(delay, signal);
  }
}
