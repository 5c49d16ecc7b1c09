import { abortable } from './abortable.ts';

/**
 * Runs one hook or action at a time on a machine, whichever unit it belongs to: they share packages, ports and files.
 */
export class MachineLock {
  /** End of each queue, by its group. */
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs `fn` after all holders of its group that asked before; hooks are in the group ''. An aborted wait gives up its
   * place in the queue. `release`: others may go on before `fn` has ended.
   */
  async hold<T>(signal: AbortSignal, fn: (release: () => void) => Promise<T>, group = ''): Promise<T> {
    const before = this.#last.get(group) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const last = Promise.all([before, mine.promise]);
    this.#last.set(group, last);
    try {
      await abortable(before, signal);
      signal.throwIfAborted();
      return await fn(mine.resolve);
    } finally {
      mine.resolve();
      void last.then(() => this.#last.get(group) === last && this.#last.delete(group));
    }
  }
}
