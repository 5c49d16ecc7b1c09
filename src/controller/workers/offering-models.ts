/** Models of one controller whose offers a model has consumed, by the contract for what crosses. */
import type { RelationEndDoc } from '../../core/relation-end/document.ts';
import type { RemoteApplicationDoc } from '../../core/remote-application/document.ts';
import { localModel, type OfferingModel } from '../offering-model.ts';
import type { View } from '../transactions/tx.ts';
import type { WorkerNeeds } from './model-worker.ts';
import { RemoteModel } from './remote-model.ts';

export type Needs = WorkerNeeds<
  'between' | 'clock' | 'dispatch' | 'elsewhere' | 'log' | 'random' | 'sealer' | 'turns'
>;

export interface LaneNeeds extends Needs {
  /** UUID of the other controller; '' = this one. */
  readonly controller: string;
}

interface Known {
  readonly model: OfferingModel;
  readonly stop: () => void;
}

export class OfferingModels {
  readonly #needs: LaneNeeds;
  readonly #known = new Map<string, Known>();
  /** Called when the status of an offered application may have changed. */
  onOffers: () => void = () => undefined;

  constructor(needs: LaneNeeds) {
    this.#needs = needs;
  }

  /** The model with this UUID. Its offers are watched from now on. */
  get(uuid: string): OfferingModel {
    let known = this.#known.get(uuid);
    if (!known) this.#known.set(uuid, (known = this.#open(uuid)));
    return known.model;
  }

  /** Forgets all models but these. */
  keep(uuids: ReadonlySet<string>): void {
    for (const [uuid, { stop }] of this.#known) {
      if (uuids.has(uuid)) continue;
      stop();
      this.#known.delete(uuid);
    }
  }

  stop(): void {
    for (const { stop } of this.#known.values()) stop();
  }

  #open(uuid: string): Known {
    const { store, services, modelUuid, controller } = this.#needs;
    const elsewhere =
      controller === ''
        ? undefined
        : new RemoteModel({ store, services, modelUuid, model: uuid, controller });
    const reached = elsewhere ?? localModel(store, services, uuid);
    const model = services.between?.(reached) ?? reached;
    const end = model.watchOffers(() => this.onOffers());
    return {
      model,
      stop: () => {
        end();
        elsewhere?.stop();
      },
    };
  }
}

/** UUID of the controller that has what was consumed; '' = this one. */
export function controllerOf({ saas }: RemoteApplicationDoc): string {
  return saas?.elsewhere?.controller ?? '';
}

/** Whether what was consumed is another controller's than before. */
export function hasMoved(
  before: RemoteApplicationDoc | undefined,
  after: RemoteApplicationDoc | undefined,
): boolean {
  return before !== undefined && after !== undefined && controllerOf(before) !== controllerOf(after);
}

/** Applications of a controller that the model has consumed. */
export function consumedAt(view: View, controller: string): RemoteApplicationDoc[] {
  return [...view.find('remote-application', 'saas', 'saas')].filter(
    (remote) => controllerOf(remote) === controller,
  );
}

/** Ends of relations that a controller has still to be told. */
export function endsAt(view: View, controller: string): RelationEndDoc[] {
  return [...view.find('relation-end', 'controller', controller)];
}
