/**
 * Carries a model's relations with other models, for the consuming side (offers.md#who-carries): those with models of
 * this controller in its own passes, those with each other controller in a loop of their own, so that a silent or
 * failing controller delays only its own relations.
 */
import { Reconciler } from '../../kit/reconciler.ts';
import { Crossings } from './crossings.ts';
import { ExternalControllerUpdater } from './external-controller-updater.ts';
import type { ModelWorker } from './model-worker.ts';
import type { Needs } from './offering-models.ts';

const name = 'remote-relations';

/** Workers and loops for one other controller. */
interface Lane {
  readonly workers: readonly { stop(): void }[];
  readonly loops: readonly Reconciler[];
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
    const crossings = new Crossings({ ...this.#needs, controller, wake: () => carrying.wake() });
    const carrying = this.#loop(name, controller, (signal) => crossings.pass(signal));
    const updater = new ExternalControllerUpdater({
      ...this.#needs,
      controller,
      wake: () => updating.wake(),
    });
    const updating = this.#loop('external-controller-updater', controller, (signal) => updater.pass(signal));
    return { workers: [crossings, updater], loops: [carrying.start(), updating.start()] };
  }

  #loop(
    of: string,
    controller: string,
    pass: (signal: AbortSignal) => Promise<number | undefined | void>,
  ): Reconciler {
    const { services, modelUuid } = this.#needs;
    return new Reconciler({
      name: `${of} ${modelUuid.slice(0, 6)} ${controller.slice(0, 6)}`,
      pass: (signal) => services.turns.run({ name: of, by: modelUuid }, () => pass(signal)),
      clock: services.clock,
      log: services.log.module(`grigri.${of}`),
      random: services.random,
    });
  }
}

/** Ends the loops; their connections first, so that no pass waits for an answer. */
async function end({ workers, loops }: Lane): Promise<void> {
  for (const worker of workers) worker.stop();
  await Promise.all(loops.map((loop) => loop.stop()));
}
