import type { Clock } from '../../kit/clock.ts';
import { busy, LoginQueue, type Share } from './login-queue.ts';

/** Maximum number of concurrent checks: scrypt runs in Node's thread pool of four threads; one is left for files. */
const checksAtATime = 3;
/** Maximum number of waiting attempts for one user from one address, after failures. */
const waitingMax = 16;
/** Number of wrong passwords without a delay: people mistype. */
const freeFailures = 3;
const firstDelayMs = 200;
const delayMaxMs = 5_000;
const forgetAfterMs = 300_000;
const rememberedMax = 10_000;

interface Attempt {
  readonly user: string;
  readonly address: string;
  /** True when the user exists. */
  readonly known: boolean;
}

interface Failures {
  count: number;
  lastAt: number;
  /** End of the chain of attempts, which run one after the other. */
  tail: Promise<unknown>;
  waiting: number;
}

/** Runs work in its turn. */
type Limited = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Slows down guessing of users' passwords: after a few failures for one user from one address, the next attempts run
 * one at a time, each after a delay that doubles. Others need not wait, nor do agents, whose secrets cannot be guessed
 * and which do not use this class. The number of concurrent password checks is limited, by turns of LoginQueue.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();
  /** Users and addresses from which they have logged in, the latest last. */
  readonly #proven = new Set<string>();
  readonly #queue = new LoginQueue(checksAtATime);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `check`, which returns whether the password was right.
   * Errors: `try again` when too many attempts wait.
   */
  async run({ user, address, known }: Attempt, check: () => Promise<boolean>): Promise<boolean> {
    // The name is cut: names from strangers may be as long as a request.
    const key = `${user.slice(0, 100)} ${address}`;
    const share: Share = this.#proven.has(key) ? 'proven' : known ? 'known' : 'unknown';
    return this.#run(key, (work) => this.#queue.run({ share, address }, work), check);
  }

  async #run(key: string, limited: Limited, check: () => Promise<boolean>): Promise<boolean> {
    const failures = this.#recentFailures(key);
    if (!failures || failures.count <= freeFailures) {
      const isRight = await limited(async () => (this.#isSlow(key) ? undefined : check()));
      if (isRight !== undefined) return this.#recordResult(key, isRight);
    }
    return this.#runInTurn(key, limited, check);
  }

  #isSlow(key: string): boolean {
    return (this.#recentFailures(key)?.count ?? 0) > freeFailures;
  }

  async #runInTurn(key: string, limited: Limited, check: () => Promise<boolean>): Promise<boolean> {
    const failures = this.#recentFailures(key);
    if (!failures) return this.#recordResult(key, await limited(check));
    if (failures.waiting >= waitingMax) throw busy();
    failures.waiting++;
    const turn = failures.tail.then(async () => {
      if (failures.count > freeFailures)
        await this.#clock.sleep(
          Math.min(delayMaxMs, firstDelayMs * 2 ** (failures.count - freeFailures - 1)),
        );
      return this.#recordResult(key, await limited(check));
    });
    failures.tail = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      failures.waiting--;
    }
  }

  #recordResult(key: string, isRight: boolean): boolean {
    const now = this.#clock.now();
    const failures = this.#failures.get(key);
    if (isRight) {
      this.#markProven(key);
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

  #markProven(key: string): void {
    this.#proven.delete(key);
    this.#proven.add(key);
    if (this.#proven.size > rememberedMax) this.#proven.delete(this.#proven.values().next().value!);
  }

  #recentFailures(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    if (!failures || failures.waiting > 0 || this.#clock.now() - failures.lastAt < forgetAfterMs)
      return failures;
    this.#failures.delete(key);
    return undefined;
  }
}
