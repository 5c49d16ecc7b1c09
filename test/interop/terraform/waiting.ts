import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is neither undefined nor false. Errors: plain Error after four minutes. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  let last: unknown;
  for (const end = Date.now() + 240_000; Date.now() < end; await sleep(200)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`waited too long: ${what}`, { cause: last });
}

/**
 * Returns the error of this class that a call fails with. Errors: plain Error when the call does not fail with such an
 * error.
 */
export async function throws<E extends Error>(
  kind: new (...args: never[]) => E,
  call: () => Promise<unknown>,
): Promise<E> {
  try {
    await call();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}
