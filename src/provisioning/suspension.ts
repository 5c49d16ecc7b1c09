/**
 * Suspension of all starts of a model while they fail for the account's quota or credential, because asking again for
 * each of 10,000 machines would give no new information. One start, the probe, is tried from time to time.
 */
import { isoTime, type Clock } from '../kit/clock.ts';
import { backoffMs, type Backoff } from '../kit/retry.ts';
import { ProviderError } from '../providers/contract/provider.ts';
import type { MachineRecords, Suspension } from './records.ts';
import { anyOf } from '../kit/on-abort.ts';

const probes: Backoff = { firstMs: 60_000, maxMs: 600_000, factor: 2, jitter: 0.2 };

type Cause = Pick<Suspension, 'class' | 'message'>;

/** Returns the cause when an error concerns the account instead of one machine; otherwise undefined. */
export function accountFailure(error: unknown): Cause | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  const { class: failureClass, message } = error;
  return failureClass === 'quota' || failureClass === 'credential'
    ? { class: failureClass, message }
    : undefined;
}

interface Needs {
  readonly records: Pick<MachineRecords, 'suspension' | 'suspend'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Wakes the worker when a probe may begin, or starts resume. */
  readonly wake: () => void;
}

export class StartSuspension {
  readonly #needs: Needs;
  #cause: Cause | undefined;
  #probe: string | undefined;
  /** True when the time of the next probe has come. */
  #isDue = true;
  #probesFailed = 0;
  /** True when the cause may have been repaired after the current probe had begun. */
  #again = false;
  #timer = new AbortController();
  /** True while the end of the suspension is not reported yet. */
  #isUntold = false;

  /** A suspension from before a crash stays until a probe succeeds. */
  constructor(needs: Needs) {
    this.#needs = needs;
    this.#cause = needs.records.suspension();
  }

  /** Number of starts that may begin. */
  get allowed(): number {
    if (this.#cause === undefined) return Infinity;
    return this.#isDue && this.#probe === undefined ? 1 : 0;
  }

  /** Returns the reason why a start that was about to begin must wait, if there is one. */
  holds(machine: string): Cause | undefined {
    return machine === this.#probe ? undefined : this.#cause;
  }

  /** Records the beginning of a start. */
  begin(machine: string): void {
    if (this.#cause !== undefined) this.#probe = machine;
  }

  /** Records that a start, or another call of the cloud, failed for the account. */
  async failed(cause: Cause, machine: string | undefined, signal: AbortSignal): Promise<void> {
    // Starts that were already under way would report the same cause again.
    if (this.#cause !== undefined && machine !== undefined && machine !== this.#probe) return;
    // Another call that fails at the time of a probe is one: it shows that no start would succeed.
    const isProbe = this.#cause !== undefined && this.#isDue && this.#probe === undefined;
    if (this.#cause !== undefined && machine === undefined && !isProbe) return;
    if (this.#probe !== undefined || isProbe) this.#probesFailed++;
    this.#cause = cause;
    await this.#wait(cause, signal);
  }

  /** Records another end of a start: `succeeded`; `failed` for a transient reason; `none` = nothing learnt. */
  async ended(machine: string, outcome: 'succeeded' | 'failed' | 'none', signal: AbortSignal): Promise<void> {
    if (machine !== this.#probe) return;
    if (outcome === 'succeeded') return this.lift();
    if (outcome === 'failed' && this.#cause) return this.#wait(this.#cause, signal);
    this.#probe = undefined;
    this.#needs.wake();
  }

  /** Ends the suspension, which is then to be reported. */
  lift(): void {
    if (this.#cause === undefined) return;
    this.#timer.abort();
    this.#cause = undefined;
    this.#probe = undefined;
    this.#isDue = true;
    this.#probesFailed = 0;
    this.#isUntold = true;
    this.#needs.wake();
  }

  /** Reports the end of the suspension unless that was done. After a rejection the call must be repeated. */
  async tell(): Promise<void> {
    if (!this.#isUntold || this.#cause !== undefined) return;
    this.#isUntold = false;
    try {
      await this.#needs.records.suspend(undefined);
    } catch (error) {
      this.#isUntold = true;
      throw error;
    }
  }

  /** Begins the next probe at once, because the cause may have been repaired. */
  probe(cause: Suspension['class']): void {
    if (this.#cause?.class !== cause) return;
    this.#probesFailed = 0;
    if (this.#probe !== undefined) this.#again = true;
    this.#isDue = true;
    this.#needs.wake();
  }

  async #wait(cause: Cause, signal: AbortSignal): Promise<void> {
    const { records, clock, random, wake } = this.#needs;
    this.#timer.abort();
    const timer = (this.#timer = new AbortController());
    const delay = this.#again ? 0 : backoffMs(probes, this.#probesFailed, random);
    this.#again = false;
    this.#probe = undefined;
    this.#isDue = false;
    const stopped = anyOf(timer.signal, signal);
    const slept = clock.sleep(delay, stopped.signal).finally(stopped.done);
    void slept.then(
      () => {
        this.#isDue = true;
        wake();
      },
      () => undefined,
    );
    const at = isoTime({ now: () => clock.now() + delay });
    await records.suspend({ class: cause.class, message: cause.message, at });
  }
}
