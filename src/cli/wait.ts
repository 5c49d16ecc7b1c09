import type { CommandContext } from './context.ts';

/** Juju asks first after 50 ms, then ever less often, at least every 2 s. */
const firstMs = 50;
const maxMs = 2000;
/** A line that stays the same is repeated after this, so that one sees that it goes on. */
const repeatMs = 10_000;

/**
 * Asks `check` until it returns undefined; what it returns otherwise is shown whenever it changes. Errors: what
 * `check` throws; onTimeout's.
 */
export async function waitFor(
  context: CommandContext,
  options: {
    what: string;
    check: () => Promise<string | undefined>;
    timeoutMs?: number;
    onTimeout?: () => Error;
  },
): Promise<void> {
  const { clock, signal } = context.io;
  const start = clock.now();
  let shown: string | undefined;
  let shownAt = start;
  for (let delay = firstMs; ; delay = Math.min(maxMs, delay * 1.5)) {
    const state = await options.check();
    if (state === undefined) return;
    if (state !== shown || clock.now() - shownAt >= repeatMs) {
      context.info(state);
      shown = state;
      shownAt = clock.now();
    }
    if (options.timeoutMs !== undefined && clock.now() - start >= options.timeoutMs) {
      throw options.onTimeout?.() ?? new Error(`timed out waiting for ${options.what}`);
    }
    await clock.sleep(delay, signal);
  }
}
