import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Delta } from '../../wire/facades/all-watcher.ts';
import type { DeltaScope } from './deltas/delta.ts';
import { ModelDeltas, modelOf, Piece } from './model-deltas.ts';
import { NewsWatcher } from './news-watcher.ts';

/** AllWatcher over one model (wire.md#all-watcher). */
export class AllWatcher extends NewsWatcher<{ deltas: Delta[] }> {
  readonly #deltas: ModelDeltas;

  /** `offers`: whether offers are told, as to admins. */
  constructor(
    store: Store<Entities>,
    modelUuid: string,
    services: DeltaScope['services'],
    { offers = false }: { readonly offers?: boolean } = {},
  ) {
    super();
    this.#deltas = new ModelDeltas({ store, services }, modelUuid, { offers });
    this.endAtStop(
      store.watch(({ changes }) => {
        const own = changes.filter((change) => modelOf(change) === modelUuid);
        if (own.length === 0) return;
        this.#deltas.onChanges(own);
        if (this.#deltas.hasNews) this.wake();
      }),
      services.presence.watch((model, machine) => {
        if (model !== modelUuid) return;
        this.#deltas.onPresence(machine);
        this.wake();
      }),
    );
  }

  protected takeNews(): { deltas: Delta[] } | undefined {
    const piece = new Piece();
    this.#deltas.take(piece);
    return piece.news;
  }
}
