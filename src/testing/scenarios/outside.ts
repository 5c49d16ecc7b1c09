/**
 * What is not of the simulated world but deals with it: the command line, which reads real files. The world's time goes
 * on only while all that is left to wait for is the world; what comes from it is handed over between two of its events.
 */
import timers from 'node:timers/promises';
import type { Connection } from '../../client/connection.ts';
import type { SimOperator, World } from '../sim/world.ts';

// Those of before the world forbids them to what happens in it.
const turn = timers.setImmediate;
const realSleep = timers.setTimeout;
/** So long nothing real happens before a mere sleep is believed to be all that is waited for. */
const restMs = 1;

export class Outside {
  readonly #world: World;
  #answers = 0;
  #sleeps = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Another user admin, whose connections nobody else has. */
  async operator(): Promise<SimOperator> {
    const found = new Promise<SimOperator>((resolve) => {
      this.#world.operator((operator) => {
        resolve(operator);
        return Promise.resolve();
      });
    });
    return this.drive(this.wait(found));
  }

  /** Lets the world go on until `work` is done. */
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

  /** An answer of the world. */
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
