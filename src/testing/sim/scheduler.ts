import { EventQueue, type QueuedEvent } from './event-queue.ts';
import type { Guard } from './guard.ts';
import { createRandom, type Random } from './random.ts';
import { Trace } from './trace.ts';

/** Real setImmediate, saved before the world forbids it. */
const realSetImmediate = globalThis.setImmediate;
/** Turns of the event loop that are requested at once; between them only promise callbacks run. */
const turnsAtOnce = 64;

export interface SimEvent extends QueuedEvent {
  readonly process: string;
  readonly name: string;
  /** Whether the event still has an effect; otherwise it is skipped. */
  readonly wanted: () => boolean;
  readonly run: () => void;
}

/**
 * Virtual time: the next event runs when all promise callbacks of the previous one are done; events of the same
 * instant run in random order.
 */
export class Scheduler {
  /** Milliseconds, with fractions, since the world began. */
  now = 0;
  readonly trace: Trace;
  /** Name of the process whose event runs, or ran last. */
  current = '';
  /** Called with every error that is thrown in an event or a check between events. */
  onError: (error: unknown) => void = () => undefined;
  guard: Guard | undefined;
  readonly #queue = new EventQueue<SimEvent>();
  readonly #lots: Random;

  constructor(options: { seed: number; keepTraceFrom: number }) {
    this.#lots = createRandom(options.seed, 'scheduler');
    this.trace = new Trace(() => this.now, options.keepTraceFrom);
  }

  /** Schedules an event. `delay` in milliseconds, 0 = as soon as the current event is over. */
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
   * Runs events until `over` returns true; `over` is called before each event with the event's time. Resolves with
   * false when no events are left.
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
        // Other work may use the event loop before the next event.
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
