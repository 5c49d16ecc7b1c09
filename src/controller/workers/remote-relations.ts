/**
 * Carries a model's relations with other models, for the consuming side (offers.md#who-carries): those with models of
 * this controller in its own passes, those with each other controller in a loop of their own, so that one that is
 * silent, or fails, holds nothing but itself.
 */
import { Reconciler } from '../../kit/reconciler.ts';
import { Crossings } from './crossings.ts';
import type { ModelWorker } from './model-worker.ts';
import type { Needs } from './offering-models.ts';

const name = 'remote-relations';

interface Lane {
  readonly crossings: Crossings;
  readonly loop: Reconciler;
}

export class RemoteRelations implements ModelWorker {
  readonly #needs: Needs;
  readonly #here: Crossings;
  /** Other controllers, by UUID. */
  readonly #others = new Map<string, Lane>();
  readonly #unsubscribe: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#here = new Crossings({ ...needs, controller: '' });
    const { dispatch } = needs.services;
    this.#unsubscribe = dispatch.on(needs.modelUuid, 'external-controller', () => needs.wake());
  }

  /** Runs one pass. Returns milliseconds until it has to look again. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const view = this.#needs.store.read().in(this.#needs.modelUuid);
    const wanted = new Set([...view.list('external-controller')].map(({ uuid }) => uuid));
    for (const [uuid, lane] of this.#others) {
      if (wanted.has(uuid)) continue;
      this.#others.delete(uuid);
      await end(lane);
    }
    for (const uuid of wanted) if (!this.#others.has(uuid)) this.#others.set(uuid, this.#start(uuid));
    return this.#here.pass(signal);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#here.stop();
    await Promise.all([...this.#others.values()].map(end));
  }

  #start(controller: string): Lane {
    const { services, modelUuid } = this.#needs;
    const crossings = new Crossings({ ...this.#needs, controller, wake: () => loop.wake() });
    const loop = new Reconciler({
      name: `${name} ${modelUuid.slice(0, 6)} ${controller.slice(0, 6)}`,
      pass: (signal) => services.turns.run({ name, by: modelUuid }, () => crossings.pass(signal)),
      clock: services.clock,
      log: services.log.module(`grigri.${name}`),
      random: services.random,
    }).start();
    return { crossings, loop };
  }
}

/** Ends a loop; its connections first, so that no pass waits for an answer. */
async function end({ crossings, loop }: Lane): Promise<void> {
  crossings.stop();
  await loop.stop();
}
