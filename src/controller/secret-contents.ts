/**
 * Contents of secrets, sealed (secrets.md#at-rest). A content is durable before a revision refers to it; one that no
 * revision refers to is erased: at once where its writer failed, else by the content eraser.
 */
import { sameContent, type SecretContent } from '../core/secret/content.ts';
import type { ContentStore } from '../store/contents.ts';
import type { Sealer } from './sealer.ts';

export interface NewContent {
  readonly key: string;
  readonly content: SecretContent;
}

export class SecretContents {
  readonly #store: ContentStore;
  readonly #sealer: Sealer;
  /** Keys whose writers are at work → their number: nobody erases these. */
  readonly #held = new Map<string, number>();

  constructor(store: ContentStore, sealer: Sealer) {
    this.#store = store;
    this.#sealer = sealer;
  }

  /** Reads a content. Errors: a plain Error when it was sealed with another key, or changed. */
  get(key: string): SecretContent | undefined {
    const sealed = this.#store.get(key);
    if (sealed === undefined) return undefined;
    const entry = JSON.parse(this.#sealer.open(sealed)) as { key: string; content: SecretContent };
    // A row that was moved to another key in the file is refused.
    if (entry.key !== key) throw new Error('the content of a secret is not where it was written');
    return entry.content;
  }

  /** A stored content is opened only when it is as long: a hook may compare very many. */
  isSame(key: string, content: SecretContent): boolean {
    if (this.#store.size(key) !== this.#seal({ key, content }).length) return false;
    const known = this.get(key);
    return known !== undefined && sameContent(known, content);
  }

  /**
   * Stores contents, then runs `fn`, which makes revisions refer to them; those that none refers to afterwards
   * (`isUsed`) are erased.
   */
  async using<T>(
    contents: readonly NewContent[],
    fn: () => Promise<T>,
    isUsed: (key: string) => boolean,
  ): Promise<T> {
    if (contents.length === 0) return fn();
    const keys = contents.map(({ key }) => key);
    this.#store.put(
      contents.map(({ key, content }) => ({
        key,
        sealed: this.#seal({ key, content }),
      })),
    );
    for (const key of keys) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    try {
      return await fn();
    } finally {
      for (const key of keys) this.#release(key);
      this.erase(keys, isUsed);
    }
  }

  keys(): readonly string[] {
    return this.#store.keys();
  }

  /** Erases those of the contents that are not used, nor about to be. */
  erase(keys: readonly string[], isUsed: (key: string) => boolean): void {
    this.#store.erase(keys.filter((key) => !this.#held.has(key) && !isUsed(key)));
  }

  /** Contents with the same keys and values have the same length, in whatever order they are. */
  #seal({ key, content }: NewContent): string {
    return this.#sealer.seal(JSON.stringify({ key, content }));
  }

  #release(key: string): void {
    const count = this.#held.get(key) ?? 1;
    if (count > 1) this.#held.set(key, count - 1);
    else this.#held.delete(key);
  }
}
