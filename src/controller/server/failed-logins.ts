import { cut, limits } from '../../core/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';

const windowMs = 60_000;

/** Log of failed logins with their addresses; the rate of lines is limited so that nobody can fill the log. */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #lines = new Map<string, number>();
  #windowStart = -Infinity;
  #logged = 0;
  #suppressed = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Logs a failed login. `tag`: as it was sent. */
  note({ tag, address, reason }: { tag: string; address: string; reason: string }): void {
    const now = this.#clock.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#logged = 0;
      this.#lines.clear();
    }
    const ofAddress = this.#lines.get(address) ?? 0;
    if (this.#logged >= limits.failedLoginLines.max || ofAddress >= limits.failedLoginLinesOfAddress.max) {
      this.#suppressed++;
      return;
    }
    this.#logged++;
    this.#lines.set(address, ofAddress + 1);
    const suppressed = this.#suppressed > 0 ? { notLogged: this.#suppressed } : {};
    this.#suppressed = 0;
    // A name must not look like a line of its own.
    const entity = cut({ max: 100 }, tag.slice(0, 200).replaceAll(/[^\x21-\x7e]/g, '?'));
    this.#log.warning('login failed', { entity, address, reason, ...suppressed });
  }
}
