import type { Clock } from './clock.ts';
import { backoffMs, type Backoff } from './retry.ts';

interface Failures {
  readonly attempts: number;
  readonly waits: number;
  readonly isWaiting: boolean;
}
interface Options {
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly random: () => number;
  /** Called at the time of a key's next attempt. */
  readonly onDue: (key: string) => void;
}
const none: Failures = { attempts: 0, waits: 0, isWaiting: false };

/** Failed attempts by key, and when each is tried again. They are not durable: after a crash all are tried at once. */
export class RetryTimes {
  readonly #options: Options;
  readonly #failures = new Map<string, Failures>();

  constructor(options: Options) {
    this.#options = options;
  }

  isWaiting(key: string): boolean {
    return this.#failures.get(key)?.isWaiting === true;
  }

  /** Forgets the failures: the next attempt counts as the first, and does not wait. */
  delete(key: string): void {
    this.#failures.delete(key);
  }

  /** The number of failed attempts. */
  attempts(key: string): number {
    return this.#failures.get(key)?.attempts ?? 0;
  }

  /** Counts a failure after which the key does not wait. */
  count(key: string): void {
    const { attempts, waits } = this.#failures.get(key) ?? none;
    this.#failures.set(key, { attempts: attempts + 1, waits, isWaiting: false });
  }

  /** Counts a failure after which the key waits, longer each time. `at`: the next attempt, in milliseconds. */
  wait(key: string, signal: AbortSignal): { readonly attempt: number; readonly at: number } {
    const { clock, backoff, random, onDue } = this.#options;
    const { attempts, waits } = this.#failures.get(key) ?? none;
    const delay = backoffMs(backoff, waits, random);
    const waiting = { attempts: attempts + 1, waits: waits + 1, isWaiting: true };
    this.#failures.set(key, waiting);
    // A timer ends the wait instead of an instant, because the clock may be set back.
    void clock.sleep(delay, signal).then(
      () => {
        if (this.#failures.get(key) === waiting) this.#failures.set(key, { ...waiting, isWaiting: false });
        onDue(key);
      },
      () => undefined,
    );
    return { attempt: attempts + 1, at: clock.now() + delay };
  }
}
