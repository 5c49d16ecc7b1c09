import { anyOf, onAbort } from './on-abort.ts';

/** Time as an argument, so that tests advance it themselves. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Calls back in the next turn of the event loop, after everything else queued for the current one. */
export type NextTurn = (fn: () => void) => void;

export const systemNextTurn: NextTurn = (fn) => void setImmediate(fn);

/** The longest delay that Node's timers accept: a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > timerMsMax; left -= timerMsMax) await timer(timerMsMax, signal);
    await timer(ms % timerMsMax, signal);
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const timeout = setTimeout(() => {
      forget?.();
      resolve();
    }, ms);
    const forget =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timeout);
        reject(signal.reason as Error);
      });
  });
}

const limitOver = new Error('the time limit was not needed');

/** A signal that aborts after `ms` on this clock, or with `outer`; `done` ends the wait for either. */
export function timeLimit(
  clock: Clock,
  ms: number,
  outer?: AbortSignal,
): { readonly signal: AbortSignal; readonly done: () => void } {
  const limit = new AbortController();
  const timeout = new AbortController();
  const message = `no answer within ${ms / 1000} s`;
  clock.sleep(ms, timeout.signal).then(
    () => limit.abort(new DOMException(message, 'TimeoutError')),
    () => undefined,
  );
  const either = anyOf(limit.signal, ...(outer ? [outer] : []));
  const done = (): void => {
    timeout.abort(limitOver);
    either.done();
  };
  return { signal: either.signal, done };
}

/** Formats a time as RFC 3339 in UTC with milliseconds. */
export function isoTime(clock: Pick<Clock, 'now'>): string {
  return new Date(clock.now()).toISOString();
}
