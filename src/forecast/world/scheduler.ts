import { EventQueue, type QueuedEvent } from './event-queue.ts';
import { createRandom, type Random } from './random.ts';

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

/** Receives every event and act of a world, in order. */
interface Tracer {
  /** Records the beginning of a scheduler's event. */
  event(process: string, name: string): void;
  /** Records an act within the event. */
  note(process: string, what: string, detail: string): void;
}

/** Watches for calls of the real world while an event runs. */
interface Watch {
  watching: boolean;
}

/**
 * Virtual time: the next event runs when all promise callbacks of the previous one are done; events of the same
 * instant run in random order.
 */
export class Scheduler {
  /** Milliseconds, with fractions, since the world began. */
  now = 0;
  /** Time on the hosts' clocks at the beginning, in milliseconds since 1970. */
  readonly began: number;
  trace: Tracer = silent;
  /** Name of the process whose event runs, or ran last. */
  current = '';
  /** Called with every error that is thrown in an event or a check between events. */
  onError: (error: unknown) => void = () => undefined;
  guard: Watch | undefined;
  readonly #queue = new EventQueue<SimEvent>();
  readonly #lots: Random;

  constructor({ seed, began = 0 }: { seed: number; began?: number }) {
    this.#lots = createRandom(seed, 'scheduler');
    this.began = began;
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

const silent: Tracer = { event: () => undefined, note: () => undefined };

function always(): boolean {
  return true;
}
