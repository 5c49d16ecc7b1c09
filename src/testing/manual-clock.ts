import type { Clock } from '../kit/clock.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Clock that advances only when a test says so. */
export class ManualClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(now = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal!.reason as Error);
      };
      const sleeper: Sleeper = {
        until: this.#now + ms,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Advances the clock and fires the timers that are due, earliest first. */
  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#sleepers].filter((sleeper) => sleeper.until <= this.#now);
    for (const sleeper of due.sort((a, b) => a.until - b.until)) {
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
