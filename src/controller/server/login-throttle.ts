import { JujuError } from '../../core/errors.ts';
import type { Clock } from '../../kit/clock.ts';

/** scrypt runs in Node's thread pool of four threads; one is left for files. */
const checksAtATime = 3;
const waitingMax = 256;
/** Wrong passwords that cost nothing: people mistype. */
const freeFailures = 3;
const firstDelayMs = 200;
const delayMaxMs = 5_000;
const forgetAfterMs = 300_000;
const rememberedMax = 10_000;

interface Failures {
  count: number;
  lastAt: number;
  /** The attempts under way, one after the other. */
  tail: Promise<unknown>;
  waiting: number;
}

/**
 * Slows down guessing of users' passwords: after a few failures for one user from one address, the next attempts run
 * one at a time, each after a delay that doubles. Others, and agents (whose secrets cannot be guessed, and who do not
 * come through here), wait for nobody.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `check`, whose answer says whether the password was right. `key`: user and address.
   * Errors: `try again` when too many attempts wait.
   */
  async run(key: string, check: () => Promise<boolean>): Promise<boolean> {
    const failures = this.#recall(key);
    if (!failures || failures.count <= freeFailures) {
      const right = await this.#limited(async () => (this.#isSlow(key) ? undefined : check()));
      if (right !== undefined) return this.#note(key, right);
    }
    return this.#inTurn(key, check);
  }

  #isSlow(key: string): boolean {
    return (this.#recall(key)?.count ?? 0) > freeFailures;
  }

  async #inTurn(key: string, check: () => Promise<boolean>): Promise<boolean> {
    const failures = this.#recall(key);
    if (!failures) return this.#note(key, await this.#limited(check));
    if (failures.waiting >= waitingMax / 16) throw busy();
    failures.waiting++;
    const turn = failures.tail.then(async () => {
      if (failures.count > freeFailures)
        await this.#clock.sleep(
          Math.min(delayMaxMs, firstDelayMs * 2 ** (failures.count - freeFailures - 1)),
        );
      return this.#note(key, await this.#limited(check));
    });
    failures.tail = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      failures.waiting--;
    }
  }

  /** At most so many checks at a time; the others wait in order. */
  async #limited<T>(check: () => Promise<T>): Promise<T> {
    if (this.#running < checksAtATime) this.#running++;
    else if (this.#queue.length >= waitingMax) throw busy();
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await check();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #note(key: string, right: boolean): boolean {
    const now = this.#clock.now();
    const failures = this.#failures.get(key);
    if (right) {
      if (failures) failures.count = 0;
      if (failures?.waiting === 0) this.#failures.delete(key);
      return true;
    }
    if (failures) {
      failures.count++;
      failures.lastAt = now;
    } else {
      if (this.#failures.size >= rememberedMax) this.#failures.delete(this.#failures.keys().next().value!);
      this.#failures.set(key, { count: 1, lastAt: now, tail: Promise.resolve(), waiting: 0 });
    }
    return false;
  }

  #recall(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    if (!failures || failures.waiting > 0 || this.#clock.now() - failures.lastAt < forgetAfterMs)
      return failures;
    this.#failures.delete(key);
    return undefined;
  }
}

function busy(): JujuError {
  return new JujuError('try again', 'too many logins at a time, try again');
}
