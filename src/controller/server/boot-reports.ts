import type { Clock } from '../../kit/clock.ts';

const windowMs = 60_000;
/** Maximum number of reports of one machine; its script has a dozen to make. */
const reportsMax = 30;

/** Rate limit of boot reports by machine: each report is a commit. */
export class BootReports {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #windowStart = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a report; false when the machine reports too often. */
  take(machine: string): boolean {
    const now = this.#clock.now();
    if (now - this.#windowStart >= windowMs) {
      this.#counts.clear();
      this.#windowStart = now;
    }
    const count = this.#counts.get(machine) ?? 0;
    this.#counts.set(machine, count + 1);
    return count < reportsMax;
  }
}
