import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { ConnectionResources, Watcher } from '../facade.ts';
import { ApplierOfConnection, type Appliers } from './appliers.ts';
import type { WatchersOfRelations } from './watchers-of-relations.ts';

interface Held {
  readonly watcher: Watcher;
  readonly leave: () => void;
}

/** Watchers of one connection, by number from 1, and the apply that it carries out. */
export class ConnectionWatchers implements ConnectionResources {
  readonly #ofRelations: WatchersOfRelations;
  readonly #held = new Map<string, Held>();
  #lastId = 0;
  readonly applier: ApplierOfConnection;
  #ended = false;

  /** `from`: address of the other side. */
  constructor(
    {
      watchersOfRelations,
      appliers,
    }: { readonly watchersOfRelations: WatchersOfRelations; readonly appliers: Appliers },
    from: string,
  ) {
    this.#ofRelations = watchersOfRelations;
    this.applier = new ApplierOfConnection(appliers, from);
  }

  register(watcher: Watcher, relation?: string): string {
    try {
      if (this.#ended) throw new JujuError('stopped', 'connection has ended');
      checkLimit(limits.watchersOfConnection, this.#held.size + 1);
      const leave = relation === undefined ? () => undefined : this.#ofRelations.enter(relation);
      const id = String(++this.#lastId);
      this.#held.set(id, { watcher, leave });
      return id;
    } catch (error) {
      watcher.stop();
      throw error;
    }
  }

  get(id: string): Watcher {
    const held = this.#held.get(id);
    if (!held) throw new JujuError('not found', 'unknown watcher id');
    return held.watcher;
  }

  /** Stops and removes a watcher. An unknown id is no error: python stops twice. */
  remove(id: string): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    held?.leave();
    held?.watcher.stop();
  }

  end(): void {
    this.#ended = true;
    this.applier.close();
    for (const id of this.#held.keys()) this.remove(id);
  }
}
