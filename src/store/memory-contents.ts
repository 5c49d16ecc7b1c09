import type { ContentStore } from './contents.ts';
import { cannot } from './mirror/journal.ts';

/** Contents in memory; they outlive the processes that use them, as those on a disk do. */
export class MemoryContents implements ContentStore {
  readonly #sealed = new Map<string, string>();

  put(contents: readonly { readonly key: string; readonly sealed: string }[]): void {
    for (const { key, sealed } of contents) if (!this.#sealed.has(key)) this.#sealed.set(key, sealed);
  }
  get(key: string): string | undefined {
    return this.#sealed.get(key);
  }
  keys(beginning = ''): readonly string[] {
    return [...this.#sealed.keys()].filter((key) => key.startsWith(beginning));
  }
  erase(keys: readonly string[]): void {
    for (const key of keys) this.#sealed.delete(key);
  }
  holdFile(): never {
    return cannot('be copied while it is open');
  }
  close(): void {
    // Closing does nothing: nothing is open.
  }
}
