/** Runs work one at a time, owners in turn: an owner with much to do does not keep the others waiting. */
export class FairQueue {
  /** Waiting work by owner, the owner whose turn is next first. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #running = false;

  run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(owner) ?? [];
      waiting.push(() => work().then(resolve, reject));
      this.#waiting.set(owner, waiting);
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    for (const [owner, waiting] of this.#waiting) {
      const next = waiting.shift();
      // An owner with more work goes behind the others.
      this.#waiting.delete(owner);
      if (waiting.length > 0) this.#waiting.set(owner, waiting);
      await next?.();
    }
    this.#running = false;
  }
}
