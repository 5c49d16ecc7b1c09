/**
 * Keeps the addresses and certificate that another controller reports (offers.md#other-controllers), so that it is
 * found when it has moved. It is asked whenever a connection with it was made, and when it says that something changed.
 */
import { hasCode } from '../../core/errors.ts';
import { checked, only, peerAnswers, readAnswer } from '../../wire/peer-answers.ts';
import { checkWays } from '../other-controllers.ts';
import { putTold } from '../transactions/shared/external-controllers.ts';
import type { LaneNeeds } from './offering-models.ts';
import { Peer } from './peer.ts';
import { Watched, type Opened } from './watched.ts';

const by = 'external-controller-updater';
const facade = 'CrossController';
/** Minimum interval of questions: a controller may say all the time that something changed. */
const pauseMs = 1_000;

export class ExternalControllerUpdater {
  readonly #needs: LaneNeeds;
  readonly #peer: Peer;
  readonly #changes: Watched<unknown>;

  constructor(needs: LaneNeeds) {
    this.#needs = needs;
    const { store, services, modelUuid, controller } = needs;
    this.#peer = new Peer({
      services,
      controller: () => store.read().in(modelUuid).get('external-controller', controller),
      onReturn: () => this.#changes.reset(),
    });
    this.#changes = new Watched({
      peer: this.#peer,
      clock: services.clock,
      open: () => this.#open(),
      names: () => [''],
    });
    this.#changes.listen(needs.wake);
  }

  /** Asks once. A connection that is made later wakes the reconciler, so a failed question is not repeated before. */
  async pass(signal: AbortSignal): Promise<void> {
    await this.#ask(signal);
    await this.#needs.services.clock.sleep(pauseMs, signal);
  }

  stop(): void {
    this.#changes.stop();
    this.#peer.stop();
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { store, services, modelUuid, controller } = this.#needs;
    try {
      // Changes are watched first, so that none is missed between the answer and the watcher.
      await this.#changes.state();
      const answer = await this.#peer.call(facade, 'ControllerInfo', {});
      const { addresses, cacert: caCert } = only(readAnswer(peerAnswers.controllerInfo, answer));
      const told = { addresses: addresses ?? [], caCert };
      if (told.addresses.length === 0) return;
      checkWays(told);
      await store.change((root) => putTold(root.in(modelUuid), controller, told), by);
    } catch (error) {
      signal.throwIfAborted();
      if (!hasCode(error, 'try again'))
        services.log.warning('how another controller is reached is not known', { controller, error });
    }
  }

  async #open(): Promise<Opened<unknown>> {
    const answer = await this.#peer.call(facade, 'WatchControllerInfo', {});
    const { NotifyWatcherId: id } = only(readAnswer(peerAnswers.controllerWatcher, answer));
    const apply = (next: unknown): readonly string[] => {
      checked(readAnswer(peerAnswers.nextOfController, next));
      return [''];
    };
    return { state: undefined, following: [{ facade: 'NotifyWatcher', id, apply }] };
  }
}
