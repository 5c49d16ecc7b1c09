import { abortable } from './abortable.ts';

/**
 * Runs one hook or action at a time on a machine, whichever unit it belongs to: they share packages, ports and files.
 */
export class MachineLock {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `fn` after all that asked before. An aborted wait gives up its place in the queue. `release`: others may go on
   * before `fn` has ended.
   */
  async hold<T>(signal: AbortSignal, fn: (release: () => void) => Promise<T>): Promise<T> {
    const before = this.#last;
    const mine = Promise.withResolvers<void>();
    this.#last = Promise.all([before, mine.promise]);
    try {
      await abortable(before, signal);
      signal.throwIfAborted();
      return await fn(mine.resolve);
    } finally {
      mine.resolve();
    }
  }
}
