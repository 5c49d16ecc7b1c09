/**
 * Starts wait, all of them, when the account's limit or credential is what they fail for: asking again for each of
 * 10,000 machines would tell nobody more. One of them, the probe, is tried from time to time.
 */
import { isoTime, type Clock } from '../kit/clock.ts';
import { backoffMs, type Backoff } from '../kit/retry.ts';
import { ProviderError } from '../providers/contract/provider.ts';
import type { MachineRecords, Suspension } from './records.ts';

const probes: Backoff = { firstMs: 60_000, maxMs: 600_000, factor: 2, jitter: 0.2 };

export type Cause = Pick<Suspension, 'class' | 'message'>;

/** What failed for the account rather than for one machine; undefined: `error` is nothing of that. */
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
  /** A probe may begin, or starts go on. */
  readonly wake: () => void;
}

export class StartSuspension {
  readonly #needs: Needs;
  #cause: Cause | undefined;
  #probe: string | undefined;
  /** The time of the next probe has come. */
  #isDue = true;
  #probesFailed = 0;
  /** Something was repaired, perhaps, after the probe that is under way had begun. */
  #again = false;
  #timer = new AbortController();
  /** That starts go on has still to be said. */
  #isUntold = false;

  /** What was said before a crash is still so, until a probe says otherwise. */
  constructor(needs: Needs) {
    this.#needs = needs;
    this.#cause = needs.records.suspension();
  }

  /** How many starts may begin. */
  get allowed(): number {
    if (this.#cause === undefined) return Infinity;
    return this.#isDue && this.#probe === undefined ? 1 : 0;
  }

  /** Why this start, which was to begin, must wait. */
  holds(machine: string): Cause | undefined {
    return machine === this.#probe ? undefined : this.#cause;
  }

  /** A start begins. */
  begin(machine: string): void {
    if (this.#cause !== undefined) this.#probe = machine;
  }

  /** The account is what this start, or another call of the cloud, failed for. */
  async failed(cause: Cause, machine: string | undefined, signal: AbortSignal): Promise<void> {
    // Of those that were under way already, each would say it again.
    if (this.#cause !== undefined && (machine === undefined || machine !== this.#probe)) return;
    if (this.#probe !== undefined) this.#probesFailed++;
    this.#cause = cause;
    await this.#wait(cause, signal);
  }

  /** A start ended in another way: `succeeded`, `failed` for what may pass, or it was none. */
  async ended(machine: string, how: 'succeeded' | 'failed' | 'none', signal: AbortSignal): Promise<void> {
    if (machine !== this.#probe) return;
    if (how === 'succeeded') return this.lift();
    if (how === 'failed' && this.#cause) return this.#wait(this.#cause, signal);
    this.#probe = undefined;
    this.#needs.wake();
  }

  /** Starts go on; that is to be told. */
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

  /** Says that starts go on, if that is so and not said yet. When it rejects, it is to be asked again. */
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

  /** It may be repaired: the next probe begins at once. */
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
    void clock.sleep(delay, AbortSignal.any([timer.signal, signal])).then(
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
