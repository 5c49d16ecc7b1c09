/**
 * Erases contents of secrets whose revisions are gone: those of removed revisions and, at the start, whatever a crash
 * between a content and its revision left (secrets.md#at-rest).
 */
import type { Entities } from '../../core/kinds.ts';
import { readContentKey } from '../../core/secret/content-key.ts';
import type { Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';

/** Contents that are erased in one turn. */
const batch = 500;
/** Time until what a backend refused is tried again. */
const retryMs = 60_000;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'secretContents' | 'log' | 'nextTurn'>;
  readonly wake: () => void;
}

export class ContentEraser {
  readonly #needs: Needs;
  readonly #log: Log;
  /** Contents whose revisions were removed or moved. */
  readonly #suspects = new Set<string>();
  /** Backends whose contents all have to be looked at, as after a start; '' = the controller's own. */
  readonly #unread: Set<string>;
  readonly stop: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { store, services, wake } = needs;
    this.#log = services.log.module('grigri.content-eraser');
    const backends = [...store.read().list('secret-backend')].map(({ id }) => id);
    this.#unread = new Set(['', ...backends]);
    services.secretContents.watchLeft(wake);
    this.stop = store.watch(({ changes }) => {
      for (const { kind, before, after } of changes)
        if (kind === 'secret-revision' && before && before.content !== after?.content) {
          this.#suspects.add(before.content);
          wake();
        } else if (kind === 'model' && before && !after) {
          for (const { id } of store.read().list('secret-backend')) this.#unread.add(id);
          wake();
        } else if (kind === 'secret-backend' && before && after) {
          // With another token, or at another address, what was refused may work.
          wake();
        }
    });
  }

  /** Erases. Returns milliseconds until a backend that refused is tried again. */
  async pass(): Promise<number | undefined> {
    const { secretContents } = this.#needs.services;
    const failed: string[] = [];
    const unread = [...this.#unread];
    for (const id of unread)
      try {
        await this.#read(id);
        this.#unread.delete(id);
      } catch (error) {
        if (this.#isRemoved(id)) this.#unread.delete(id);
        else failed.push((error as Error).message);
      }
    for (const key of secretContents.takeLeft()) this.#suspects.add(key);
    const left: string[] = [];
    let keys: string[] = [];
    // Also visits what is added meanwhile.
    for (const key of this.#suspects) {
      this.#suspects.delete(key);
      keys.push(key);
      if (keys.length < batch && this.#suspects.size > 0) continue;
      left.push(...(await secretContents.erase(keys, (each) => this.#isUsed(each))));
      this.#log.debug('contents of secrets checked', { count: keys.length });
      keys = [];
      if (this.#suspects.size > 0) await this.#pause();
    }
    for (const key of left) if (!this.#isRemoved(readContentKey(key).backend)) this.#suspects.add(key);
    if (failed.length === 0 && this.#suspects.size === 0) return undefined;
    this.#log.warning('contents of secrets cannot be erased now', {
      contents: this.#suspects.size,
      ...(failed.length > 0 ? { error: failed.join('; ') } : {}),
    });
    return retryMs;
  }

  /** Looks at all that a backend has; what is there for a model that is gone is erased as a whole. */
  async #read(id: string): Promise<void> {
    const backend = this.#needs.services.secretContents.backend(id);
    for (const model of await backend.models()) {
      if (this.#needs.store.read().get('model', model)) {
        for (const key of await backend.keys(model)) this.#suspects.add(key);
      } else await backend.forget(model);
    }
  }

  #isUsed(key: string): boolean {
    const view = this.#needs.store.read().in(readContentKey(key).model);
    return view.count('secret-revision', 'content', key) > 0;
  }

  #isRemoved(id: string): boolean {
    return id !== '' && !this.#needs.store.read().get('secret-backend', id);
  }

  #pause(): Promise<void> {
    return new Promise<void>((resolve) => this.#needs.services.nextTurn(resolve));
  }
}
