/**
 * Takes over the machines of models that have arrived from other controllers, and forgets arrivals that nobody brings
 * to an end (migration.md#take-over). The model's workers start when this is done: before, they would take its machines
 * for lost.
 */
import type { ArrivalDoc } from '../../core/arrival/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import { giveUpArrival } from '../migration/give-up-arrival.ts';
import type { Services } from '../services.ts';
import { noteAdopted } from '../transactions/remote/arrivals.ts';

const by = 'adopter';
/** Time after which an arrival of which nothing was heard is forgotten. */
const staleMs = 24 * 3_600_000;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
}

export class Adopter {
  readonly #needs: Needs;
  readonly stop: () => void;

  constructor(needs: Needs & { readonly wake: () => void }) {
    this.#needs = needs;
    this.stop = needs.services.dispatch.on('', 'arrival', ({ before, after }) => {
      if (before?.state !== after?.state) needs.wake();
    });
  }

  /** Returns milliseconds until the oldest arrival may be forgotten. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { store, services } = this.#needs;
    const failures: unknown[] = [];
    for (const arrival of store.read().find('arrival', 'state', 'adopting'))
      await this.#adopt(arrival, signal).catch((error: unknown) => failures.push(error));
    signal.throwIfAborted();
    let next: number | undefined;
    for (const arrival of store.read().find('arrival', 'state', 'arriving')) {
      const left = Date.parse(arrival.at) + staleMs - services.clock.now();
      if (left > 0) next = Math.min(next ?? left, left);
      else await giveUpArrival({ store, services, by }, arrival);
    }
    if (failures.length > 0) throw failures[0];
    return next;
  }

  async #adopt({ model, ticket, from, machines }: ArrivalDoc, signal: AbortSignal): Promise<void> {
    const { store, services } = this.#needs;
    const root = store.read();
    if (!root.get('model', model)) return;
    try {
      await services.environ(model, root.in(model)).migration?.adopt({ ticket, from, machines }, signal);
    } catch (error) {
      signal.throwIfAborted();
      const problem = `the machines cannot be taken over: ${(error as Error).message}`;
      await store.change((tx) => noteAdopted(tx, model, problem), by);
      throw error;
    }
    await store.change((tx) => noteAdopted(tx, model, undefined), by);
  }
}
