import { abortable } from './abortable.ts';

/** One hook or action at a time on a machine, whichever unit it belongs to: they share packages, ports and files. */
export class MachineLock {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `fn` when all that asked before are through. An aborted wait gives its place up. */
  async hold<T>(signal: AbortSignal, fn: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const mine = Promise.withResolvers<void>();
    this.#last = Promise.all([before, mine.promise]);
    try {
      await abortable(before, signal);
      signal.throwIfAborted();
      return await fn();
    } finally {
      mine.resolve();
    }
  }
}
