import { EventQueue, type QueuedEvent } from './event-queue.ts';
import type { Guard } from './guard.ts';
import { createRandom, type Random } from './random.ts';
import { Trace } from './trace.ts';

/** The real one, before anybody forbids it. */
const realSetImmediate = globalThis.setImmediate;
/** Turns of the event loop that are asked for at once: between them nothing else runs but what has been promised. */
const turnsAtOnce = 64;

export interface SimEvent extends QueuedEvent {
  readonly process: string;
  readonly name: string;
  /** False when it does nothing any more: no event then. */
  readonly wanted: () => boolean;
  readonly run: () => void;
}

/**
 * Virtual time: the next event runs when all that the one before has set off by promises is done; of several at the
 * same instant any may be first.
 */
export class Scheduler {
  /** Milliseconds, with fractions, since the world began. */
  now = 0;
  readonly trace: Trace;
  /** Whose event runs, or ran last. */
  current = '';
  /** Asked before an event and after the last: whatever is thrown here or in an event. */
  onError: (error: unknown) => void = () => undefined;
  guard: Guard | undefined;
  readonly #queue = new EventQueue<SimEvent>();
  readonly #lots: Random;

  constructor(options: { seed: number; keepTraceFrom: number }) {
    this.#lots = createRandom(options.seed, 'scheduler');
    this.trace = new Trace(() => this.now, options.keepTraceFrom);
  }

  /** `delay` in milliseconds, 0 = as soon as this event is over. */
  after(
    delay: number,
    process: string,
    name: string,
    run: () => void,
    wanted: () => boolean = always,
  ): SimEvent {
    const at = this.now + Math.max(0, delay);
    const event: SimEvent = { at, lot: this.#lots.next(), cancelled: false, process, name, run, wanted };
    this.#queue.push(event);
    return event;
  }

  /**
   * Runs events until `over` says so, which is asked before each with the time it is at. Resolves with false when
   * there are none left.
   */
  drive(over: (at: number) => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      let ended = false;
      const turn = (): void => {
        if (ended) return;
        const next = this.#next();
        if (next && !over(next.at)) return this.#run(next);
        ended = true;
        this.#watch(false);
        if (!next) over(this.now);
        resolve(next !== undefined);
      };
      const ask = (): void => {
        for (let n = 0; n < turnsAtOnce; n++) realSetImmediate(turn);
        // Others may have the event loop until the next of ours.
        realSetImmediate(() => {
          this.#watch(false);
          if (!ended) ask();
        });
      };
      ask();
    });
  }

  #next(): SimEvent | undefined {
    for (;;) {
      const next = this.#queue.peek();
      if (!next || (!next.cancelled && next.wanted())) return next;
      this.#queue.pop();
    }
  }

  #watch(on: boolean): void {
    if (this.guard) this.guard.watching = on;
  }

  #run(event: SimEvent): void {
    this.#queue.pop();
    this.now = event.at;
    this.current = event.process;
    this.trace.event(event.process, event.name);
    this.#watch(true);
    try {
      event.run();
    } catch (error) {
      this.onError(error);
    }
  }
}

function always(): boolean {
  return true;
}
