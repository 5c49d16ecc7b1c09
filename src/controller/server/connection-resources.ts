import { JujuError } from '../../core/errors.ts';
import type { ConnectionResources, Watcher } from '../facade.ts';

/** The watchers of one connection, by number from 1. */
export class ConnectionWatchers implements ConnectionResources {
  readonly #watchers = new Map<string, Watcher>();
  readonly #max: number;
  #last = 0;
  #ended = false;

  constructor(max: number) {
    this.#max = max;
  }

  register(watcher: Watcher): string {
    if (this.#ended || this.#watchers.size >= this.#max) {
      watcher.stop();
      throw this.#ended
        ? new JujuError('stopped', 'connection has ended')
        : new JujuError('quota limit exceeded', `this connection has ${this.#max} watchers already`);
    }
    const id = String(++this.#last);
    this.#watchers.set(id, watcher);
    return id;
  }

  get(id: string): Watcher {
    const watcher = this.#watchers.get(id);
    if (!watcher) throw new JujuError('not found', 'unknown watcher id');
    return watcher;
  }

  /** Stops it too. Removing what is not there does nothing: python stops twice. */
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
