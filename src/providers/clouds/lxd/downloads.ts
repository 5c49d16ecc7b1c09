/** Work shared by concurrent callers, which stops when no caller needs it any more. */
export type Downloads = <T>(
  key: string,
  waiter: { readonly progress: (message: string) => void; readonly signal: AbortSignal },
  work: (progress: (message: string) => void, signal: AbortSignal) => Promise<T>,
) => Promise<T>;

interface Download {
  readonly result: Promise<unknown>;
  readonly waiting: Set<(message: string) => void>;
  readonly stop: AbortController;
}

export function createDownloads(): Downloads {
  const downloads = new Map<string, Download>();
  return async <T>(...[key, { progress, signal }, work]: Parameters<Downloads>): Promise<T> => {
    signal.throwIfAborted();
    let download = downloads.get(key);
    if (!download) {
      const stop = new AbortController();
      const waiting = new Set<(message: string) => void>();
      const report = (message: string): void => waiting.forEach((each) => each(message));
      const result = work(report, stop.signal).finally(() => {
        if (downloads.get(key)?.stop === stop) downloads.delete(key);
      });
      download = { result, waiting, stop };
      downloads.set(key, download);
    }
    const { result, waiting, stop } = download;
    // A wrapper per caller distinguishes callers that pass the same function.
    const mine = (message: string): void => progress(message);
    waiting.add(mine);
    const leave = Promise.withResolvers<never>();
    const onAbort = (): void => leave.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return (await Promise.race([result, leave.promise])) as T;
    } finally {
      signal.removeEventListener('abort', onAbort);
      waiting.delete(mine);
      if (waiting.size === 0) {
        // A new caller must not join work that is being stopped.
        if (downloads.get(key) === download) downloads.delete(key);
        stop.abort(new Error('no start waits for it any more'));
        await result.catch(() => undefined);
      }
    }
  };
}
