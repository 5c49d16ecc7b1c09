import {
  accessRefused,
  eventsOfChange,
  loginFailed,
  loginSucceeded,
  securityRecord,
  tokenCreated,
  type SecurityEvent,
} from '../../core/access/security-events.ts';
import type { Entities } from '../../core/kinds.ts';
import { limits } from '../../core/limits.ts';
import { isoTime, type Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Commit } from '../../store/store.ts';

const windowMs = 60_000;

/**
 * Security events in the controller's log (login.md#security-log). The rate of those that anybody can cause is limited,
 * so that nobody can fill the log; the next record says how many were left out.
 */
export class SecurityLog {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Numbers of records of this minute, by what causes them. */
  readonly #counts = new Map<string, number>();
  #windowStart = -Infinity;
  #left = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log.module('grigri.security');
  }

  /** Notes a failed login. `tag`: as it was sent. */
  loginFailed({ tag, address, reason }: { tag: string; address: string; reason: string }): void {
    const isRoom =
      this.#isBelow('logins', limits.failedLoginLines.max) &&
      this.#isBelow(`address ${address}`, limits.failedLoginLinesOfAddress.max);
    if (!isRoom) return void this.#left++;
    this.#count('logins');
    this.#count(`address ${address}`);
    this.note(loginFailed(tag, address, reason));
  }

  loginSucceeded(user: string, address: string): void {
    this.#noteOf(`user-${user}`, loginSucceeded(user, address));
  }

  /** Notes that a user has got a token by a password. */
  tokenCreated(user: string, address: string): void {
    this.#noteOf(`user-${user}`, { ...tokenCreated(user, 'login'), remote: address });
  }

  /** Notes that a logged-in caller asked for what it may not have. */
  accessRefused({ tag, what, address }: { tag: string; what: string; address: string }): void {
    this.#noteOf(tag, accessRefused(tag, what, address));
  }

  /** Notes the events of a commit. */
  changed({ changes, by }: Commit<Entities>): void {
    let count = 0;
    for (const change of changes) {
      if (change.space !== '') continue;
      for (const event of eventsOfChange(change, by))
        if (++count <= limits.securityLinesOfCommit.max) this.note(event);
        else this.#left++;
    }
  }

  note(event: SecurityEvent): void {
    const record = securityRecord(event, { at: isoTime(this.#clock), notLogged: this.#left });
    this.#left = 0;
    if (event.level === 'INFO') this.#log.info(record);
    else this.#log.warning(record);
  }

  /** Notes an event of a caller, whose records are limited. */
  #noteOf(tag: string, event: SecurityEvent): void {
    if (!this.#isBelow(tag, limits.securityLinesOfCaller.max)) return void this.#left++;
    this.#count(tag);
    this.note(event);
  }

  #isBelow(cause: string, max: number): boolean {
    const now = this.#clock.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#counts.clear();
    }
    return (this.#counts.get(cause) ?? 0) < max;
  }

  #count(cause: string): void {
    this.#counts.set(cause, (this.#counts.get(cause) ?? 0) + 1);
  }
}
