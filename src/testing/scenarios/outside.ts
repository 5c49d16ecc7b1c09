/**
 * Real work that deals with the simulated world: the command line, which reads real files. The world's time goes on
 * only while the real work waits for the world; results of the world are delivered between two of its events.
 */
import timers from 'node:timers/promises';
import type { Connection } from '../../client/connection.ts';
import type { SimOperator, World } from '../sim/world.ts';

// The timer functions are kept from before the world forbids them to its own code.
const turn = timers.setImmediate;
const realSleep = timers.setTimeout;
/** Idle time after which a sleep is assumed to be the only thing that the real work waits for. */
const restMs = 1;

export class Outside {
  readonly #world: World;
  #answers = 0;
  #sleeps = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Connects another user admin, whose connections nothing else uses. */
  async operator(): Promise<SimOperator> {
    const found = new Promise<SimOperator>((resolve) => {
      this.#world.operator((operator) => {
        resolve(operator);
        return Promise.resolve();
      });
    });
    return this.drive(this.wait(found));
  }

  /** Runs the world until `work` is done. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = (): void => void (done = true);
    work.then(end, end);
    while (!done) {
      if (this.#answers > 0) await this.#world.step();
      else if (this.#sleeps > 0) {
        await realSleep(restMs);
        if (this.#sleeps > 0) await this.#world.step();
      }
      await turn();
    }
    return work;
  }

  /** Waits for an answer of the world. */
  async wait<T>(answer: Promise<T>): Promise<T> {
    this.#answers++;
    const settled = answer.then(
      () => this.#answers--,
      () => this.#answers--,
    );
    try {
      return await answer;
    } finally {
      await settled;
      await turn();
    }
  }

  async sleep(operator: SimOperator, ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#sleeps++;
    const aborted = new Promise<void>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    try {
      await Promise.race([operator.sleep(ms), aborted]);
    } finally {
      this.#sleeps--;
      await turn();
    }
  }

  connection(inner: Connection): Connection {
    return {
      login: inner.login,
      closed: inner.closed,
      close: () => this.wait(inner.close()),
      call: (facade, method, params, options) => this.wait(inner.call(facade, method, params, options)),
    };
  }
}
