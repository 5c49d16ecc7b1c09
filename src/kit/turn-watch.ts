/**
 * Accounts for the event loop's time: processor time of each piece of work in each turn, with a report of slow ones.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { systemNextTurn, type NextTurn } from './clock.ts';

/** A piece of work that a turn's time is charged to. */
export interface Work {
  /** The name of the kind of work. There must be few, as figures are kept for each. */
  readonly name: string;
  /** The caller who requested it. */
  readonly by: string;
}

export interface SlowWork extends Work {
  /** Processor time in this one turn, in milliseconds. */
  readonly cpuMs: number;
  /** Number of times that work of this name was too slow, this time included. */
  readonly count: number;
}

interface TurnWatchOptions {
  /** Processor time in one turn above which work is slow, in milliseconds. */
  readonly limitMs: number;
  readonly onSlow: (slow: SlowWork) => void;
  /** Processor time of the thread; default: this thread's. */
  readonly cpuMs?: () => number;
  /**
   * Wall time, which is a hundred times cheaper to read: a turn that was short in wall time was short in processor
   * time, too. Default: this process's.
   */
  readonly wallMs?: () => number;
  /** Calls back when the turn is over. Default: the event loop's next turn. */
  readonly atEnd?: NextTurn;
}

/**
 * Interval in which the wall clock stands for the thread's clock, whose reading costs microseconds, as much as a short
 * request.
 */
const staleMs = 10;

/** Number of slow turns and the longest time, by name of work. */
type SlowCounts = ReadonlyMap<string, { readonly count: number; readonly longestMs: number }>;

/**
 * Charges the thread's processor time to work that begins with `run`, until other work begins or the turn ends,
 * including promises that continue in the turn. A later turn is charged to the same work when requested by `nextTurn`.
 * Unannounced work in the same turn is charged to the work before it.
 */
export class TurnWatch {
  /** A turn watch that measures nothing, for a controller whose time is simulated. */
  static readonly none = new TurnWatch({ limitMs: Infinity, onSlow: () => undefined });

  readonly #options: Required<TurnWatchOptions>;
  readonly #origin = new AsyncLocalStorage<Work>();
  readonly #counts = new Map<string, { count: number; longestMs: number }>();
  readonly #spent = new Map<Work, number>();
  #current: Work | undefined;
  /** When the current work began, in the thread's time. */
  #since = 0;
  /** When the turn began, in wall time. */
  #opened = 0;
  #isOpen = false;
  /** The thread's time when it was last read, and the wall time of that reading. */
  #asked = { at: -Infinity, cpuMs: 0 };

  constructor(options: TurnWatchOptions) {
    this.#options = {
      cpuMs: threadCpuMs,
      wallMs: () => performance.now(),
      atEnd: systemNextTurn,
      ...options,
    };
  }

  get slow(): SlowCounts {
    return this.#counts;
  }

  run<T>(work: Work, fn: () => T): T {
    this.#begin(work);
    return this.#origin.run(work, fn);
  }

  /** The next turn continues the work that requested it. */
  readonly nextTurn: NextTurn = (fn) => {
    systemNextTurn(() => {
      this.#begin(this.#origin.getStore());
      fn();
    });
  };

  #begin(work: Work | undefined): void {
    const { limitMs, wallMs, atEnd } = this.#options;
    if (limitMs === Infinity) return;
    const wall = wallMs();
    const now = this.#cpuAt(wall);
    this.#charge(now);
    this.#current = work;
    this.#since = now;
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#opened = wall;
    atEnd(() => this.#end());
  }

  #charge(now: number): void {
    if (!this.#current) return;
    this.#spent.set(this.#current, (this.#spent.get(this.#current) ?? 0) + now - this.#since);
  }

  #end(): void {
    const { limitMs, wallMs } = this.#options;
    const wall = wallMs();
    const mayBeSlow = wall - this.#opened > limitMs;
    if (mayBeSlow) this.#charge(this.#cpuAt(wall));
    this.#current = undefined;
    this.#isOpen = false;
    if (mayBeSlow) for (const [work, ms] of this.#spent) if (ms > limitMs) this.#count(work, ms);
    this.#spent.clear();
  }

  #cpuAt(wall: number): number {
    if (wall - this.#asked.at > staleMs) this.#asked = { at: wall, cpuMs: this.#options.cpuMs() };
    return this.#asked.cpuMs + wall - this.#asked.at;
  }

  #count({ name, by }: Work, cpuMs: number): void {
    const before = this.#counts.get(name);
    const count = (before?.count ?? 0) + 1;
    this.#counts.set(name, { count, longestMs: Math.max(before?.longestMs ?? 0, cpuMs) });
    this.#options.onSlow({ name, by, cpuMs, count });
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
