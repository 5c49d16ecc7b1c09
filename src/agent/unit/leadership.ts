import { hasCode } from '../../core/errors.ts';
import type { Clock } from '../../kit/clock.ts';
import type { AgentApi } from '../uplink.ts';

/** How long a lease is asked for (unit-agent.md#lease). */
const leaseMs = 60_000;
/** What `is-leader` promises: True holds at least this long. */
const guaranteeMs = leaseMs / 2;
/** Between claims while another is said to lead, and while nobody is. */
const askAgainMs = { held: 60_000, free: 5_000 };

/**
 * One unit's part in the race for its application's lease: claims when it is free, renews at half its time. What it
 * says is true by its own clock, which began before the controller's.
 */
export class LeadershipTracker {
  readonly #options: {
    readonly unit: string;
    readonly api: AgentApi;
    readonly clock: Clock;
    readonly holder: () => string;
  };
  #expiresAt = 0;
  #settled = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `holder`: who leads as far as the stream told; '' = nobody or not known. */
  constructor(options: { unit: string; api: AgentApi; clock: Clock; holder: () => string }) {
    this.#options = options;
  }

  /** Who leads is known: until then a unit does nothing, so that leader-elected comes in its place. */
  get settled(): boolean {
    return this.#settled;
  }

  get leads(): boolean {
    return this.#options.clock.now() < this.#expiresAt;
  }

  /** Claims or renews when it is time. Returns after how many milliseconds to come again. */
  async attend(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    if (clock.now() >= this.#nextAt()) await this.#claim(signal);
    this.#settled = true;
    return Math.max(1000, this.#nextAt() - clock.now());
  }

  /** For `is-leader`: asks when what is left is too little to promise. */
  async isLeader(signal?: AbortSignal): Promise<boolean> {
    if (this.#options.clock.now() <= this.#expiresAt - guaranteeMs) return true;
    if (!this.leads && this.#other()) return false;
    await this.#claim(signal);
    return this.leads;
  }

  #nextAt(): number {
    if (this.leads) return this.#expiresAt - guaranteeMs;
    // The stream tells when the other's lease ends.
    return this.#askedAt + (this.#other() ? askAgainMs.held : askAgainMs.free);
  }

  #other(): boolean {
    const holder = this.#options.holder();
    return holder !== '' && holder !== this.#options.unit;
  }

  async #claim(signal: AbortSignal | undefined): Promise<void> {
    const { api, clock, unit } = this.#options;
    const began = clock.now();
    this.#askedAt = began;
    try {
      await api.call('ClaimLeadership', { unit, durationMs: leaseMs }, signal ? { signal } : {});
      this.#expiresAt = began + leaseMs;
    } catch (error) {
      if (!hasCode(error, 'leadership claim denied')) throw error;
      this.#expiresAt = 0;
    }
  }
}
