import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { backoffMs, type Backoff } from './retry.ts';

/** Delays after failures: 0.5 s doubling to 30 s, while the pass keeps failing. */
const restart: Backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

/** The abort reason, made once: a new one per abort would cost more than the wait. */
const enough = new Error('waited long enough');

interface ReconcilerOptions {
  readonly name: string;
  readonly pass: (signal: AbortSignal) => Promise<number | void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

/**
 * The loop of every worker: runs `pass` once at the start and again after each `wake()`; one pass at a time; several
 * wakes during a pass cause one more. A pass reads everything that it is about. When it throws, it runs again after a
 * back-off. `pass` may return a delay in milliseconds after which it is to run again.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #stop = new AbortController();
  #awake: (() => void) | undefined;
  /** The sleep that ends in a pass, and its end on the clock. */
  #sleep: { readonly until: number; readonly end: AbortController } | undefined;
  #dirty = true;
  #failures = 0;
  #done: Promise<void> | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  start(): this {
    this.#done ??= this.#run();
    return this;
  }

  wake(): void {
    // A large change wakes the reconciler once for each document.
    if (this.#dirty) return;
    this.#dirty = true;
    this.#awake?.();
  }

  /** Aborts the pass under way and waits for it. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error(`${this.#options.name} stopped`));
    this.#awake?.();
    await this.#done;
    this.#sleepFor(undefined);
  }

  async #run(): Promise<void> {
    const { name, pass, clock, log, random } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#dirty = false;
      let delay: number | undefined;
      try {
        delay = (await pass(signal)) ?? undefined;
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        delay = backoffMs(restart, this.#failures++, random);
        log.error('worker failed', { worker: name, retryMs: delay, error });
        await clock.sleep(delay, signal).catch(() => undefined);
        continue;
      }
      // A reconciler that was stopped during the pass would not be woken again.
      if (this.#dirty || signal.aborted) continue;
      this.#sleepFor(delay);
      await new Promise<void>((resolve) => (this.#awake = resolve));
      this.#awake = undefined;
    }
  }

  /** A sleep that ends sooner is kept: a pass too many costs less than a new sleep after each pass. */
  #sleepFor(delay: number | undefined): void {
    const { clock } = this.#options;
    const until = delay === undefined ? Infinity : clock.now() + delay;
    if (delay !== undefined && this.#sleep && this.#sleep.until <= until) return;
    this.#sleep?.end.abort(enough);
    this.#sleep = undefined;
    if (delay === undefined) return;
    const sleep = { until, end: new AbortController() };
    this.#sleep = sleep;
    const ended = (): void => {
      if (this.#sleep !== sleep) return;
      this.#sleep = undefined;
      this.wake();
    };
    clock.sleep(delay, sleep.end.signal).then(ended, () => undefined);
  }
}
