import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { ConnectionResources, Watcher } from '../facade.ts';

/** Watchers of one connection, by number from 1. */
export class ConnectionWatchers implements ConnectionResources {
  readonly #watchers = new Map<string, Watcher>();
  #lastId = 0;
  #ended = false;

  register(watcher: Watcher): string {
    try {
      if (this.#ended) throw new JujuError('stopped', 'connection has ended');
      checkLimit(limits.watchersOfConnection, this.#watchers.size + 1);
    } catch (error) {
      watcher.stop();
      throw error;
    }
    const id = String(++this.#lastId);
    this.#watchers.set(id, watcher);
    return id;
  }

  get(id: string): Watcher {
    const watcher = this.#watchers.get(id);
    if (!watcher) throw new JujuError('not found', 'unknown watcher id');
    return watcher;
  }

  /** Stops and removes a watcher. An unknown id is no error: python stops twice. */
  remove(id: string): void {
    this.#watchers.get(id)?.stop();
    this.#watchers.delete(id);
  }

  end(): void {
    this.#ended = true;
    for (const watcher of this.#watchers.values()) watcher.stop();
    this.#watchers.clear();
  }
}
