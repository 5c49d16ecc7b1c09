import type { Delta } from '../../wire/facades/all-watcher.ts';
import { changesByModel, ModelDeltas, Piece, type DeltaNeeds } from './model-deltas.ts';
import { NewsWatcher } from './news-watcher.ts';

/**
 * AllModelWatcher (wire.md#all-model-watcher): the news of AllWatcher about all models, also those that are made later.
 * Models with news take turns, so that a busy one holds up no other.
 */
export class AllModelsWatcher extends NewsWatcher<{ deltas: Delta[] }> {
  readonly #needs: DeltaNeeds;
  readonly #models = new Map<string, ModelDeltas>();
  /** Models with news, the longest waiting first. */
  readonly #waiting = new Set<string>();

  constructor(needs: DeltaNeeds) {
    super();
    this.#needs = needs;
    const { store, services } = needs;
    for (const { uuid } of store.read().in('').list('model')) this.#add(uuid);
    this.endAtStop(
      store.watch(({ changes }) => {
        for (const [uuid, ofModel] of changesByModel(changes)) {
          const known = this.#models.get(uuid);
          if (known) known.onChanges(ofModel);
          else if (this.#exists(uuid)) this.#add(uuid);
          this.#queue(uuid);
        }
        if (this.#waiting.size > 0) this.wake();
      }),
      services.presence.watch((uuid, machine) => {
        this.#models.get(uuid)?.onPresence(machine);
        this.#queue(uuid);
        if (this.#waiting.size > 0) this.wake();
      }),
    );
  }

  protected takeNews(): { deltas: Delta[] } | undefined {
    const piece = new Piece();
    // A model with more to tell waits again, behind the others.
    const waiting = Array.from(this.#waiting);
    for (const uuid of waiting) {
      if (piece.isFull) break;
      this.#waiting.delete(uuid);
      const deltas = this.#models.get(uuid);
      deltas?.take(piece);
      if (deltas?.hasNews) this.#waiting.add(uuid);
      else if (!this.#exists(uuid)) this.#models.delete(uuid);
    }
    return piece.news;
  }

  #add(uuid: string): void {
    this.#models.set(uuid, new ModelDeltas(this.#needs, uuid, { offers: true }));
    this.#waiting.add(uuid);
  }

  #queue(uuid: string): void {
    if (this.#models.get(uuid)?.hasNews) this.#waiting.add(uuid);
  }

  #exists(uuid: string): boolean {
    return this.#needs.store.read().in('').get('model', uuid) !== undefined;
  }
}
