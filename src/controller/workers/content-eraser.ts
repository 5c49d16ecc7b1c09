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
/** Time until an erasure that a backend refused is tried again. */
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
          // An erasure that was refused may work with another token, or at another address.
          wake();
        }
    });
  }

  /**
   * Erases in all backends at a time: a slow one does not keep the others. Returns milliseconds until a backend that
   * refused is tried again.
   */
  async pass(signal?: AbortSignal): Promise<number | undefined> {
    const suspects = [...this.#suspects, ...this.#needs.services.secretContents.takeLeft()];
    this.#suspects.clear();
    const keys = Map.groupBy(suspects, (key) => readContentKey(key).backend);
    const ids = new Set([...this.#unread, ...keys.keys()]);
    const problems = await Promise.all([...ids].map((id) => this.#passIn(id, new Set(keys.get(id)), signal)));
    const errors = problems.flat();
    if (errors.length === 0) return undefined;
    this.#log.warning('contents of secrets cannot be erased now', {
      contents: this.#suspects.size,
      error: errors.join('; '),
    });
    return retryMs;
  }

  /** Erases in one backend. Returns the backend's problem. */
  async #passIn(id: string, suspects: Set<string>, signal: AbortSignal | undefined): Promise<string[]> {
    const problems: string[] = [];
    // A model that is removed during the reading makes the backend unread again.
    if (this.#unread.delete(id))
      try {
        for (const key of await this.#read(id)) suspects.add(key);
      } catch (error) {
        problems.push((error as Error).message);
        this.#unread.add(id);
      }
    const left = await this.#eraseAll(suspects, signal);
    if (this.#isRemoved(id)) {
      this.#unread.delete(id);
      return [];
    }
    for (const key of left) this.#suspects.add(key);
    return left.size > 0 ? [...problems, `${left.size} contents are left`] : problems;
  }

  /**
   * Erases contents of one backend until it refuses: asking on would only take its time. Returns those that are left.
   */
  async #eraseAll(suspects: Set<string>, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
    const { secretContents } = this.#needs.services;
    while (suspects.size > 0) {
      signal?.throwIfAborted();
      const keys = [...suspects.values().take(batch)];
      const left = await secretContents.erase(keys, (each) => this.#isUsed(each));
      this.#log.debug('contents of secrets checked', { count: keys.length });
      for (const key of keys) suspects.delete(key);
      for (const key of left) suspects.add(key);
      if (left.length > 0) break;
      if (suspects.size > 0) await this.#pause();
    }
    return suspects;
  }

  /** Keys of all contents in a backend; contents of a model that is gone are erased as a whole. */
  async #read(id: string): Promise<string[]> {
    const backend = this.#needs.services.secretContents.backend(id);
    const found: string[] = [];
    for (const model of await backend.models()) {
      const root = this.#needs.store.read();
      if (root.get('model', model) ?? root.get('arrival', model)?.parts)
        found.push(...(await backend.keys(model)));
      else await backend.forget(model);
    }
    return found;
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
