import type { HeldFile } from './held-file.ts';

/**
 * Sealed contents of secrets by key, beside the documents: neither in memory nor in history. What is written is durable
 * at the return; what is erased is overwritten.
 */
export interface ContentStore {
  /** Stores sealed contents; a key that is there already keeps what it has. Errors: `try again`. */
  put(contents: readonly { readonly key: string; readonly sealed: string }[]): void;
  /** Reads sealed contents; undefined when there are none. Errors: `try again` when the file cannot be read. */
  get(key: string): string | undefined;
  /** The keys with this beginning, as the store's order has them. */
  keys(beginning?: string): readonly string[];
  /** Erases contents; keys that are not there are ignored. Errors: `try again`. */
  erase(keys: readonly string[]): void;
  /** Holds the file of the contents that are stored now, so that it can be copied. Errors: as Store.holdFile. */
  holdFile(): HeldFile;
  close(): void;
}
