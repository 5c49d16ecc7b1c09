import { onAbort } from '../kit/on-abort.ts';

/**
 * Resolves as the promise does, or rejects with the signal's reason when that comes first. The promise's own work
 * goes on.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const forget = onAbort(signal, () => reject(signal.reason as Error));
    promise.then(resolve, reject).finally(forget);
  });
}
