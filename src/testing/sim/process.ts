/** A program of the simulated world, which can die between any two of its steps. */
import type { Clock, NextTurn } from '../../kit/clock.ts';
import { createRandom, type Random } from './random.ts';
import type { Scheduler, SimEvent } from './scheduler.ts';

/** What the host's clock says at the beginning. */
export const worldBegan = Date.UTC(2026, 0, 1);

/** The host's clock, as far as it is wrong: it outlives the processes. */
export interface HostTime {
  offset: number;
}

/**
 * What a process is given (clock, sockets, disk, chance) belongs to it: once it is dead nothing of that calls it back,
 * so none of its code ever runs again, and what its last event still does to the world does nothing. Its promises
 * stay open for ever.
 */
export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** An event that reached it, or something that it did to the world. */
  steps = 0;
  #alive = true;
  #dieAt: number | undefined;
  readonly #onDeath = new Set<() => void>();

  /** `run`: which run of the program it is; each has its own chance. */
  constructor(options: { scheduler: Scheduler; name: string; seed: number; time?: HostTime; run: string }) {
    const { scheduler, name, run, seed, time = { offset: 0 } } = options;
    this.scheduler = scheduler;
    this.name = name;
    this.random = createRandom(seed, `${name} ${run}`);
    this.clock = {
      now: () => Math.floor(worldBegan + scheduler.now + time.offset),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** The process does something to the world. False: it has died before that. */
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

  /** The number of the step before which it is killed. */
  dieAtStep(step: number | undefined): void {
    this.#dieAt = step;
  }

  /** `kill -9`. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.scheduler.trace.note(this.name, 'killed', '');
    for (const told of this.#onDeath) told();
  }

  /** Returns what takes it back. */
  onDeath(told: () => void): () => void {
    this.#onDeath.add(told);
    return () => this.#onDeath.delete(told);
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
      // As late as a real one: at least a millisecond, and never early.
      const delay = Math.max(1, ms) + this.random.next();
      const timer = this.after(delay, 'timer', () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
