import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 50_000;
const firstPauseMs = 5;
const pauseMaxMs = 100;

/**
 * Calls `check` until it does not throw, and returns its result. The timeout is long, because a busy machine may do
 * nothing for seconds; tests that pass do not wait for it. Pauses grow with the time waited, because each check takes
 * processor time from the awaited work. Errors: the last one of `check`.
 */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, pauseMaxMs)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}
