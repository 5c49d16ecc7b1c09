/** Statuses of applications that a model has consumed of one controller, as that controller reports them. */
import { JujuError } from '../../core/errors.ts';
import type { RemoteApplicationDoc } from '../../core/remote-application/document.ts';
import { unreachable } from '../../core/remote-application/trouble.ts';
import type { Status } from '../../core/status.ts';
import { isoTime } from '../../kit/clock.ts';
import { setSaasStatus } from '../transactions/remote/remote-side.ts';
import {
  consumedAt,
  controllerOf,
  endsAt,
  hasMoved,
  type LaneNeeds,
  type OfferingModels,
} from './offering-models.ts';

/** Interval of attempts to hear a status that could not be heard. */
const retryMs = 5_000;
/** Minimum interval of looks at a consumed application's status, which is computed from all of its units. */
const statusMs = 2_000;

export class SaasStatuses {
  readonly #needs: LaneNeeds;
  readonly #models: OfferingModels;
  readonly #unsubscribe: () => void;
  #isStale = true;
  #next = 0;

  constructor(needs: LaneNeeds, models: OfferingModels) {
    this.#needs = needs;
    this.#models = models;
    models.onOffers = () => this.#changed();
    this.#unsubscribe = needs.services.dispatch.on(
      needs.modelUuid,
      'remote-application@saas saas',
      ({ before, after }) => {
        const isAnother = before?.saas?.offerUuid !== after?.saas?.offerUuid;
        if (isAnother || before?.ending !== after?.ending || hasMoved(before, after)) this.#changed();
      },
    );
  }

  /** Looks at the consumed offers. Returns milliseconds until the next look is due. */
  async hear(signal: AbortSignal): Promise<number | undefined> {
    const { store, services, modelUuid, controller } = this.#needs;
    const view = store.read().in(modelUuid);
    const all = consumedAt(view, controller);
    for (const { model } of all) this.#models.get(model);
    this.#models.keep(new Set([...all, ...endsAt(view, controller)].map(({ model }) => model)));
    if (!this.#isStale) return undefined;
    const now = services.clock.now();
    if (now < this.#next) return this.#next - now;
    this.#next = now + statusMs;
    this.#isStale = false;
    let delay: number | undefined;
    for (const remote of all) {
      signal.throwIfAborted();
      if (!(await this.#hear(remote))) delay = retryMs;
    }
    if (delay !== undefined) this.#isStale = true;
    return delay;
  }

  stop(): void {
    this.#unsubscribe();
  }

  #changed(): void {
    if (this.#isStale) return;
    this.#isStale = true;
    this.#needs.wake();
  }

  /** Takes over the status of an offered application; false when it has to be asked again later. */
  async #hear({ name, model, saas }: RemoteApplicationDoc): Promise<boolean> {
    const { services, store, modelUuid } = this.#needs;
    const { status: before, offerUuid } = saas!;
    const since = isoTime(services.clock);
    let status: Status;
    let isHeard = true;
    try {
      const heard = await this.#models.get(model).offerStatus(offerUuid);
      status = heard ?? { status: 'terminated', message: 'offer has been removed', since };
    } catch (error) {
      isHeard = false;
      if (!(error instanceof JujuError)) {
        services.log.error('status of an offer not heard', { saas: name, retryMs, error });
        return false;
      }
      // The attempt has told that the model is on another controller now.
      const now = store.read().in(modelUuid).get('remote-application', name);
      if (!now || controllerOf(now) !== this.#needs.controller) return true;
      // Each attempt to connect fails in its own words: the first ones stay.
      const words = [before.message, error.message];
      if (before.status === 'error' && words.every((text) => text.startsWith(unreachable))) return false;
      status = { status: 'error', message: error.message, since };
    }
    if (before.status !== status.status || before.message !== status.message)
      await store.change((root) => setSaasStatus(root.in(modelUuid), name, status), 'remote-relations');
    return isHeard;
  }
}
