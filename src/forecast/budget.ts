/** What a forecast may use of the real world: it ends with what it knows when that is used up. */
export interface Means {
  /** Milliseconds of real time. */
  readonly now: () => number;
  /** Part of the memory that is used, of 1; absent = it is not limited. */
  readonly memory?: () => number;
}

/** Part of the memory that is used when little is left: more would end the thread without an answer. */
const memoryMost = 0.9;
/** Interval in milliseconds between two looks at the memory, which cost more than an event. */
const lookMs = 100;

export class Budget {
  readonly #means: Means;
  readonly #deadline: number;
  #lookedAt = -Infinity;
  #usedUp: 'time' | 'memory' | undefined;

  constructor(means: Means, wallMs: number) {
    this.#means = means;
    this.#deadline = means.now() + wallMs;
  }

  /** What is used up; undefined = nothing yet. */
  get usedUp(): 'time' | 'memory' | undefined {
    return this.#usedUp;
  }

  /** Returns whether something is used up by now. */
  isOver(): boolean {
    const { now, memory } = this.#means;
    const time = now();
    if (time > this.#deadline) this.#usedUp ??= 'time';
    if (memory && time - this.#lookedAt >= lookMs) {
      this.#lookedAt = time;
      if (memory() > memoryMost) this.#usedUp ??= 'memory';
    }
    return this.#usedUp !== undefined;
  }
}
