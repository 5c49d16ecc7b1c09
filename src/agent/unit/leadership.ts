import { hasCode } from '../../core/errors.ts';
import { leaseMs } from '../../core/lease/document.ts';
import type { Clock } from '../../kit/clock.ts';
import type { AgentApi } from '../uplink.ts';

/** Guarantee of `is-leader`: True holds at least this long. */
const guaranteeMs = leaseMs / 2;
/** Interval between claims while another unit leads, and while no unit leads. */
const askAgainMs = { held: 60_000, free: 5_000 };

/**
 * Claims an application's lease for one unit when it is free, and renews it at half its time. Its answers hold by its
 * own clock, which started before the controller's.
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

  /** @param options.holder Returns the leader that the stream named last; '' = none or not known. */
  constructor(options: { unit: string; api: AgentApi; clock: Clock; holder: () => string }) {
    this.#options = options;
  }

  /** Whether the leader is known. Until then a unit runs nothing, so that leader-elected comes in its place. */
  get settled(): boolean {
    return this.#settled;
  }

  get leads(): boolean {
    return this.#options.clock.now() < this.#expiresAt;
  }

  /** Claims or renews when it is due. Returns the milliseconds until the next attempt. */
  async attend(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    if (clock.now() >= this.#nextAt()) await this.#claim(signal);
    this.#settled = true;
    return Math.max(1000, this.#nextAt() - clock.now());
  }

  /** Answers `is-leader`; asks the controller when the rest of the lease is shorter than the guarantee. */
  async isLeader(signal?: AbortSignal): Promise<boolean> {
    if (this.#options.clock.now() <= this.#expiresAt - guaranteeMs) return true;
    if (!this.leads && this.#otherLeads()) return false;
    await this.#claim(signal);
    return this.leads;
  }

  #nextAt(): number {
    if (this.leads) return this.#expiresAt - guaranteeMs;
    // The stream reports when the other unit's lease ends.
    return this.#askedAt + (this.#otherLeads() ? askAgainMs.held : askAgainMs.free);
  }

  #otherLeads(): boolean {
    const holder = this.#options.holder();
    return holder !== '' && holder !== this.#options.unit;
  }

  async #claim(signal: AbortSignal | undefined): Promise<void> {
    const { api, clock, unit } = this.#options;
    const began = clock.now();
    const holds = began < this.#expiresAt;
    this.#askedAt = began;
    try {
      await api.call('ClaimLeadership', { unit, durationMs: leaseMs, holds }, signal ? { signal } : {});
      this.#expiresAt = began + leaseMs;
    } catch (error) {
      if (!hasCode(error, 'leadership claim denied')) throw error;
      this.#expiresAt = 0;
    }
  }
}
