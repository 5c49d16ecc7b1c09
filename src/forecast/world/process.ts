/** Process of the simulated world, which can die between any two of its steps. */
import type { Clock, NextTurn } from '../../kit/clock.ts';
import { createRandom, type Random } from './random.ts';
import type { Scheduler, SimEvent } from './scheduler.ts';

/** Error of the host's clock, which outlives the processes. */
export interface HostTime {
  offset: number;
}

/**
 * Process and its resources (clock, sockets, disk, randomness): once it is dead no resource calls it back, so none of
 * its code ever runs again, and further acts of its last event have no effect on the world. Its promises never settle.
 */
export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** Number of steps: events that reached the process, and its acts on the world. */
  steps = 0;
  #alive = true;
  #dieAt: number | undefined;
  readonly #onDeath = new Set<() => void>();

  /** Creates a process. `run`: number of this run of the program; each has its own random stream. */
  constructor(options: { scheduler: Scheduler; name: string; seed: number; time?: HostTime; run: string }) {
    const { scheduler, name, run, seed, time = { offset: 0 } } = options;
    this.scheduler = scheduler;
    this.name = name;
    this.random = createRandom(seed, `${name} ${run}`);
    this.clock = {
      now: () => Math.floor(scheduler.began + scheduler.now + time.offset),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Counts an act on the world. Returns false when the process has died before it. */
  does(what: string, detail = ''): boolean {
    if (!this.#step()) return false;
    this.scheduler.trace.note(this.name, what, detail);
    return true;
  }

  /** Calls the process back after `delay` milliseconds, if it is still alive then. */
  after(delay: number, name: string, run: () => void): SimEvent {
    return this.scheduler.after(
      delay,
      this.name,
      name,
      () => {
        if (this.#step()) run();
      },
      () => this.#alive,
    );
  }

  readonly nextTurn: NextTurn = (fn) => void this.after(0, 'turn', fn);

  /** Kills the process before the step of that number. */
  dieAtStep(step: number | undefined): void {
    this.#dieAt = step;
  }

  /** Ends the process as `kill -9` does. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.scheduler.trace.note(this.name, 'killed', '');
    for (const listener of this.#onDeath) listener();
  }

  /** Calls `told` when the process dies. Returns a function that cancels this. */
  onDeath(listener: () => void): () => void {
    this.#onDeath.add(listener);
    return () => this.#onDeath.delete(listener);
  }

  #step(): boolean {
    if (!this.#alive) return false;
    if (++this.steps === this.#dieAt) this.kill();
    return this.#alive;
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        timer.cancelled = true;
        reject(signal!.reason as Error);
      };
      // The delay, as with a real timer, is at least a millisecond, and never shorter than asked.
      const delay = Math.max(1, ms) + this.random.next();
      const timer = this.after(delay, 'timer', () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
