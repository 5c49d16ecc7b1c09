interface Waiting {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `fn` when the signal aborts, unless the function that it returns was called before. However many wait, the
 * signal has one listener: EventTarget compares each new listener with all that it has. The signal is not aborted yet.
 */
export function onAbort(signal: AbortSignal, fn: () => void): () => void {
  const waiting = waitingFor.get(signal) ?? listen(signal);
  waiting.all.add(fn);
  return () => {
    if (!waiting.all.delete(fn) || waiting.all.size > 0) return;
    // A signal of AbortSignal.any stays in memory as long as somebody listens.
    signal.removeEventListener('abort', waiting.listener);
    if (waitingFor.get(signal) === waiting) waitingFor.delete(signal);
  };
}

function listen(signal: AbortSignal): Waiting {
  const all = new Set<() => void>();
  const listener = (): void => {
    for (const fn of all) fn();
  };
  const waiting = { all, listener };
  waitingFor.set(signal, waiting);
  signal.addEventListener('abort', listener, { once: true });
  return waiting;
}
