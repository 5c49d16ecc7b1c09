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
import { LimitedCalls } from './limited-calls.ts';

const by = 'adopter';
/** Time after which an arrival of which nothing was heard is forgotten. */
const staleMs = 24 * 3_600_000;
/** Time in which the cloud must have taken over a model's machines; it goes on where it was in the next pass. */
const answerMs = 2 * 60_000;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
}

export class Adopter {
  readonly #needs: Needs;
  readonly #calls: LimitedCalls;
  /** Adoptions under way, by model; they fail with the reason. */
  readonly #adoptions = new Map<string, Promise<void>>();
  /** Resolves when another model has arrived, so that a pass does not hold it up. */
  #arrived = Promise.withResolvers<void>();
  readonly stop: () => void;

  constructor(needs: Needs & { readonly wake: () => void }) {
    this.#needs = needs;
    const { clock } = needs.services;
    // A repeated adoption does nothing twice, so none waits for a late one.
    this.#calls = new LimitedCalls({ clock, answerMs, lateMs: 0, onEnd: () => undefined });
    this.stop = needs.services.dispatch.on('', 'arrival', ({ before, after }) => {
      if (before?.state === after?.state) return;
      needs.wake();
      if (after?.state === 'adopting') this.#arrived.resolve();
    });
  }

  /** Returns milliseconds until the oldest arrival may be forgotten. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { store, services } = this.#needs;
    this.#arrived = Promise.withResolvers();
    for (const arrival of store.read().find('arrival', 'state', 'adopting')) this.#begin(arrival, signal);
    const outcomes = Promise.allSettled(this.#adoptions.values());
    const ended = await Promise.race([outcomes, this.#arrived.promise]);
    signal.throwIfAborted();
    let next: number | undefined;
    for (const arrival of store.read().find('arrival', 'state', 'arriving')) {
      const left = Date.parse(arrival.at) + staleMs - services.clock.now();
      if (left > 0) next = Math.min(next ?? left, left);
      else await giveUpArrival({ store, services, by }, arrival);
    }
    const failed = ended?.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return next;
  }

  /** Takes over the machines of a model, unless that is under way. */
  #begin(arrival: ArrivalDoc, signal: AbortSignal): void {
    const { model } = arrival;
    if (this.#adoptions.has(model)) return;
    const adoption = this.#adopt(arrival, signal).finally(() => this.#adoptions.delete(model));
    // A pass that ended sooner does not wait for it; the model's record says why it failed.
    adoption.catch(() => undefined);
    this.#adoptions.set(model, adoption);
  }

  async #adopt({ model, ticket, from, machines }: ArrivalDoc, signal: AbortSignal): Promise<void> {
    const { store, services } = this.#needs;
    const root = store.read();
    if (!root.get('model', model)) return;
    try {
      const { migration } = services.environ(model, root.in(model));
      const adopt = (limit: AbortSignal) => migration!.adopt({ ticket, from, machines }, limit);
      if (migration) await this.#calls.ask({ key: model, step: 'adopt' }, adopt, signal);
    } catch (error) {
      signal.throwIfAborted();
      const problem = `the machines cannot be taken over: ${(error as Error).message}`;
      await store.change((tx) => noteAdopted(tx, model, problem), by);
      throw error;
    }
    await store.change((tx) => noteAdopted(tx, model, undefined), by);
  }
}
