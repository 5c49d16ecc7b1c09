import { createHash } from 'node:crypto';
import type { LogLevel } from '../../core/log-levels.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import type { MachineLock } from '../machine-lock.ts';
import type { Mirror } from '../mirror.ts';
import type { AgentApi } from '../uplink.ts';
import type { LeadershipTracker } from './leadership.ts';
import type { SavedState } from './saved-state.ts';
import type { Statuses } from './statuses.ts';
import type { UnitHost } from './unit-host.ts';

/** Dependencies of a unit's operations. */
export interface UnitWorld {
  readonly unit: string;
  readonly machineId: string;
  /** Juju's version, as charms see it. */
  readonly version: string;
  readonly bootId: string;
  readonly mirror: Mirror;
  readonly api: AgentApi;
  readonly host: UnitHost;
  readonly lock: MachineLock;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes a line of output to the log, module `unit.<unit>.<name>`. */
  output(name: string, level: LogLevel, message: string): void;
  newId(): string;
  readonly state: SavedState;
  readonly statuses: Statuses;
  readonly leadership: LeadershipTracker;
  readonly timers: Timers;
  /** The restore of the model after which hooks run, '' for none; undefined = they may not until it is accepted. */
  runsAfter(): string | undefined;
  /** Must be called when a charm asks for a reboot of the machine. */
  reboot(): void;
}

/** Intervals between the runs of a failed hook (unit-agent.md#hook-retry). */
const hookRetry: Backoff = { firstMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.1 };
const updateStatusJitter = 0.2;

/** Times at which a unit's loop must run again by itself, in milliseconds since 1970. */
export class Timers {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #deferred = new Map<number, number>();
  #retryAt = 0;
  #pausedUntil = 0;
  #kills = 0;
  #updateStatusAt: number | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Schedules the retry of a hook that has failed this many times. */
  failed(failures: number): void {
    this.#retryAt = this.#clock.now() + backoffMs(hookRetry, Math.max(0, failures - 1), this.#random);
  }
  /**
   * Goes on with the wait of a former agent. A wait that is over begins anew: the hook may have ended the agent. So
   * does one that is longer than any: the clock was set back.
   */
  resume({ failures, retryAt = 0 }: { readonly failures: number; readonly retryAt?: number }): void {
    this.failed(failures);
    const now = this.#clock.now();
    if (retryAt > now && retryAt <= now + hookRetry.maxMs * (1 + hookRetry.jitter)) this.#retryAt = retryAt;
  }
  /** Makes the retry due now: the charm has changed. */
  retryNow(): void {
    this.#retryAt = 0;
  }
  get retryAt(): number {
    return this.#retryAt;
  }
  get retryDue(): boolean {
    return this.#clock.now() >= this.#retryAt;
  }

  /** Schedules a run after a hook was killed from outside, with a delay that prevents a tight loop. */
  killed(): void {
    this.#pausedUntil = this.#clock.now() + backoffMs(hookRetry, this.#kills++, this.#random);
  }
  survived(): void {
    this.#kills = 0;
  }
  get paused(): boolean {
    return this.#clock.now() < this.#pausedUntil;
  }

  updateStatusDue(intervalMs: number): boolean {
    if (intervalMs <= 0) return false;
    this.#updateStatusAt ??= this.#nextUpdateStatus(intervalMs);
    return this.#clock.now() >= this.#updateStatusAt;
  }
  updatedStatus(): void {
    this.#updateStatusAt = undefined;
  }
  #nextUpdateStatus(intervalMs: number): number {
    return this.#clock.now() + intervalMs * (1 + updateStatusJitter * (2 * this.#random() - 1));
  }

  defer(relation: number, ms: number): void {
    this.#deferred.set(relation, this.#clock.now() + ms);
  }
  deferred(): ReadonlySet<number> {
    const now = this.#clock.now();
    for (const [relation, until] of this.#deferred) if (until <= now) this.#deferred.delete(relation);
    return new Set(this.#deferred.keys());
  }

  /**
   * Milliseconds until the first timer that was not due at `judgedAt`, when timers were last checked: a timer that has
   * become due since would be missed otherwise. Undefined = there is none.
   */
  next(judgedAt: number): number | undefined {
    const times = [this.#retryAt, this.#pausedUntil, this.#updateStatusAt ?? 0, ...this.#deferred.values()];
    const future = times.filter((time) => time > judgedAt);
    return future.length === 0 ? undefined : Math.max(0, Math.min(...future) - this.#clock.now());
  }
}

/** Returns the id of a hook's commit, the same for each repeated attempt. */
export function stableId(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
