/**
 * Due times of very many keys: setting and taking cost the same however many there are. Times are kept in slots, so
 * that keys due at about the same time are taken together.
 */
export class Timetable {
  readonly #slots = new Map<number, Set<string>>();
  readonly #slotOf = new Map<string, number>();
  /** Offset added to the clock's time, so that a clock that is set back delays nothing. */
  #shiftMs = 0;
  #lastMs = -Infinity;

  get size(): number {
    return this.#slotOf.size;
  }

  has(id: string): boolean {
    return this.#slotOf.has(id);
  }

  /**
   * Makes the key due after `delayMs`, and up to a thirtieth of that (a second at least) later; replaces its earlier
   * due time.
   */
  set(id: string, delayMs: number, now: number): void {
    this.delete(id);
    const grainMs = Math.max(1_000, delayMs / 30);
    const slot = delayMs <= 0 ? 0 : Math.ceil((this.#time(now) + delayMs) / grainMs) * grainMs;
    this.#slotOf.set(id, slot);
    const ids = this.#slots.get(slot);
    if (ids) ids.add(id);
    else this.#slots.set(slot, new Set([id]));
  }

  delete(id: string): void {
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return;
    this.#slotOf.delete(id);
    const ids = this.#slots.get(slot);
    ids?.delete(id);
    if (ids?.size === 0) this.#slots.delete(slot);
  }

  /** Removes and returns the keys that are due, the earliest first. */
  take(now: number): string[] {
    const time = this.#time(now);
    const due = [...this.#slots.keys()].filter((slot) => slot <= time).sort((a, b) => a - b);
    return due.flatMap((slot) => {
      const ids = [...(this.#slots.get(slot) ?? [])];
      this.#slots.delete(slot);
      for (const id of ids) this.#slotOf.delete(id);
      return ids;
    });
  }

  /** Milliseconds until a key is due; undefined when none is set. */
  untilNext(now: number): number | undefined {
    const time = this.#time(now);
    let first = Infinity;
    for (const slot of this.#slots.keys()) first = Math.min(first, slot);
    return first === Infinity ? undefined : Math.max(0, first - time);
  }

  #time(now: number): number {
    if (now < this.#lastMs) this.#shiftMs += this.#lastMs - now;
    this.#lastMs = now;
    return now + this.#shiftMs;
  }
}
