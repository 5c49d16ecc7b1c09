/** The controller's own secret backend: contents are sealed, in a file beside the store (secrets.md#at-rest). */
import { readContentKey } from '../../core/secret/content-key.ts';
import type { SecretContent } from '../../core/secret/content.ts';
import type { ContentStore } from '../../store/contents.ts';
import type { Sealer } from '../sealer.ts';
import type { NewContent, SecretBackend } from './backend.ts';

export class InternalBackend implements SecretBackend {
  readonly #store: ContentStore;
  readonly #sealer: Sealer;

  constructor(store: ContentStore, sealer: Sealer) {
    this.#store = store;
    this.#sealer = sealer;
  }

  put(contents: readonly NewContent[]): Promise<void> {
    return attempt(() =>
      this.#store.put(
        contents.map(({ key, content }) => ({
          key,
          sealed: this.#sealer.seal(JSON.stringify({ key, content })),
        })),
      ),
    );
  }

  /** Reads a content. Errors: a plain Error when it was sealed with another key, or changed. */
  get(key: string): Promise<SecretContent | undefined> {
    return attempt(() => {
      const sealed = this.#store.get(key);
      if (sealed === undefined) return undefined;
      const entry = JSON.parse(this.#sealer.open(sealed)) as { key: string; content: SecretContent };
      // A row that was moved to another key in the file is refused.
      if (entry.key !== key) throw new Error('the content of a secret is not where it was written');
      return entry.content;
    });
  }

  erase(keys: readonly string[]): Promise<void> {
    return attempt(() => this.#store.erase(keys));
  }

  models(): Promise<readonly string[]> {
    return attempt(() => [...new Set(this.#store.keys().map((key) => readContentKey(key).model))]);
  }

  keys(model: string): Promise<readonly string[]> {
    return attempt(() => this.#store.keys(`${model}/`));
  }

  async forget(model: string): Promise<void> {
    await this.erase(await this.keys(model));
  }

  check(): Promise<void> {
    return Promise.resolve();
  }
}

/** The store works at once; its errors are rejections, as those of a server are. */
function attempt<T>(fn: () => T): Promise<T> {
  return new Promise((resolve) => resolve(fn()));
}
