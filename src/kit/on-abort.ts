interface Waiting {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `fn` when the signal aborts, unless the returned function was called before. The signal gets one listener
 * however many wait, because EventTarget compares each new listener with all existing ones. The signal must not be
 * aborted yet.
 */
export function onAbort(signal: AbortSignal, fn: () => void): () => void {
  const waiting = waitingFor.get(signal) ?? listen(signal);
  waiting.all.add(fn);
  return () => {
    if (!waiting.all.delete(fn) || waiting.all.size > 0) return;
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

/**
 * A signal that aborts when one of these does, with its reason; `done` ends the wait for them. AbortSignal.any has no
 * `done`: it leaves something in each source for as long as the source lives, and its listeners are never collected.
 */
export function anyOf(...signals: readonly AbortSignal[]): {
  readonly signal: AbortSignal;
  readonly done: () => void;
} {
  const any = new AbortController();
  const aborted = signals.find((one) => one.aborted);
  if (aborted) any.abort(aborted.reason);
  const forget = aborted ? [] : signals.map((one) => onAbort(one, () => any.abort(one.reason)));
  return {
    signal: any.signal,
    done: () => {
      for (const one of forget) one();
    },
  };
}
