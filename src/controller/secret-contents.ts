/**
 * Contents of secrets (secrets.md#at-rest), in whichever backend has them. A content is durable before a revision
 * refers to it; one that no revision refers to is erased: at once where its writer failed, else by the content eraser.
 */
import { joinContentKey, readContentKey } from '../core/secret/content-key.ts';
import { checksumText, type SecretContent } from '../core/secret/content.ts';
import type { Sealer } from './sealer.ts';
import type { NewContent, SecretBackend } from './secret-backends/backend.ts';

interface Parts {
  readonly internal: SecretBackend;
  /** A backend elsewhere by its id. Errors: JujuError when it has been removed. */
  readonly external: (id: string) => SecretBackend;
  readonly sealer: Pick<Sealer, 'mark'>;
}

export class SecretContents {
  readonly #parts: Parts;
  /** Number of writers at work by key: nobody erases a key with a writer. */
  readonly #held = new Map<string, number>();
  /** Erasures under way by key: a new writer of the key waits for them. */
  readonly #erasing = new Map<string, Promise<unknown>>();
  /** Keys that could not be erased when their writer failed. */
  readonly #left = new Set<string>();
  #onLeft: () => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The key of a content of a secret. `writer`: what brings it, the same for a repetition: a hook's id, or a new uuid.
   */
  keyOf(
    place: {
      readonly backend: string;
      readonly model: string;
      readonly secret: string;
      readonly writer: string;
    },
    content: SecretContent,
  ): string {
    const { backend, model, secret, writer } = place;
    const { mark } = this.#parts.sealer;
    return joinContentKey({
      backend,
      model,
      name: `${secret}/${mark(writer)}.${this.#markOf(secret, content)}`,
    });
  }

  /** The key of a content that another controller, whose marks are different ones, has kept under this key. */
  arrivedKey(key: string, content: SecretContent): string {
    const [secret = '', tail = ''] = readContentKey(key).name.split('/');
    const { model } = readContentKey(key);
    const name = `${secret}/${tail.slice(0, tail.indexOf('.'))}.${this.#markOf(secret, content)}`;
    return joinContentKey({ backend: '', model, name });
  }

  /** The key of the same content in another backend. */
  movedKey(key: string, backend: string): string {
    return joinContentKey({ ...readContentKey(key), backend });
  }

  /** Whether the content behind a key is this one; the key alone tells. */
  isSame(key: string, content: SecretContent): boolean {
    const [secret = '', tail = ''] = readContentKey(key).name.split('/');
    return tail.slice(tail.indexOf('.') + 1) === this.#markOf(secret, content);
  }

  /** Reads a content. Errors: those of its backend; a plain Error when it was sealed with another key, or changed. */
  async get(key: string, signal?: AbortSignal): Promise<SecretContent | undefined> {
    return this.backend(readContentKey(key).backend).get(key, signal);
  }

  /** A backend by its id; '' = the controller's own. Errors: JujuError when it has been removed. */
  backend(id: string): SecretBackend {
    return id === '' ? this.#parts.internal : this.#parts.external(id);
  }

  /**
   * Stores contents, then runs `fn`, which makes revisions refer to them; those that none refers to afterwards
   * (`isUsed`) are erased; after an error of the backend they are left to watchLeft. Errors: those of the backend,
   * before `fn` runs; those of `fn`.
   */
  async using<T>(
    contents: readonly NewContent[],
    fn: () => Promise<T>,
    isUsed: (key: string) => boolean,
  ): Promise<T> {
    if (contents.length === 0) return fn();
    const keys = contents.map(({ key }) => key);
    for (const key of keys) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    try {
      await this.#store(contents);
    } catch (error) {
      for (const key of keys) this.#release(key);
      // Erasing in a backend that is down or slow would only delay the writer's error.
      for (const key of keys) if (!isUsed(key)) this.#left.add(key);
      this.#onLeft();
      throw error;
    }
    try {
      return await fn();
    } finally {
      for (const key of keys) this.#release(key);
      for (const key of await this.erase(keys, isUsed)) this.#left.add(key);
      if (this.#left.size > 0) this.#onLeft();
    }
  }

  async #store(contents: readonly NewContent[]): Promise<void> {
    for (const { key } of contents) await this.#erasing.get(key);
    for (const [id, part] of byBackend(contents, ({ key }) => key)) await this.backend(id).put(part);
  }

  /** Calls back when contents are left that a failed writer could not erase. */
  watchLeft(onLeft: () => void): void {
    this.#onLeft = onLeft;
  }

  /** Returns the keys that failed writers left; the caller erases their contents. */
  takeLeft(): string[] {
    const keys = [...this.#left];
    this.#left.clear();
    return keys;
  }

  /** Erases contents that are neither used nor about to be. Returns the keys that could not be erased now. */
  async erase(keys: readonly string[], isUsed: (key: string) => boolean): Promise<string[]> {
    const unused = keys.filter((key) => !this.#held.has(key) && !isUsed(key));
    const left: string[] = [];
    for (const [id, part] of byBackend(unused, (key) => key)) {
      const erasing = this.#erase(id, part).catch(() => void left.push(...part));
      for (const key of part) this.#erasing.set(key, erasing);
      await erasing;
      for (const key of part) if (this.#erasing.get(key) === erasing) this.#erasing.delete(key);
    }
    return left;
  }

  async #erase(id: string, keys: readonly string[]): Promise<void> {
    await this.backend(id).erase(keys);
  }

  #markOf(secret: string, content: SecretContent): string {
    return this.#parts.sealer.mark(`${secret} ${checksumText(content)}`);
  }

  #release(key: string): void {
    const count = this.#held.get(key) ?? 1;
    if (count > 1) this.#held.set(key, count - 1);
    else this.#held.delete(key);
  }
}

function byBackend<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return Map.groupBy(items, (item) => readContentKey(keyOf(item)).backend);
}
