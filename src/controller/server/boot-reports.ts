import type { Clock } from '../../kit/clock.ts';

const windowMs = 60_000;
/** Maximum number of reports of one machine; its script has a dozen to make. */
const reportsMax = 30;

/** Rate limit of boot reports by machine: each report is a commit. */
export class BootReports {
  readonly #clock: Clock;
  readonly #taken = new Map<string, number>();
  #began = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a report; false when the machine reports too often. */
  take(machine: string): boolean {
    const now = this.#clock.now();
    if (now - this.#began >= windowMs) {
      this.#taken.clear();
      this.#began = now;
    }
    const taken = this.#taken.get(machine) ?? 0;
    this.#taken.set(machine, taken + 1);
    return taken < reportsMax;
  }
}
