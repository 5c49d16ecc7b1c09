/** Files by their SHA-256 (hex): written once, durable when `put` resolves, never changed. */
export interface BlobStore {
  /** Errors: rejects when `sha256` is given and differs from the content's. Returns the content's SHA-256 and size. */
  put(content: Buffer | NodeJS.ReadableStream, sha256?: string): Promise<{ sha256: string; size: number }>;
  /** Path to read it from, or undefined. */
  path(sha256: string): string | undefined;
  read(sha256: string): Promise<Buffer>;
  /** All that there are. */
  list(): Promise<readonly string[]>;
  /**
   * For putting a blob and then making something refer to it: until `fn` ends nothing at all is removed, for what it
   * puts may be there already and seem unused.
   */
  keep<T>(fn: () => Promise<T>): Promise<T>;
  /**
   * Removes the blob unless `isUsed`, which is asked in the same turn of the event loop. Returns false when that
   * cannot be done now, because something is being kept.
   */
  remove(sha256: string, isUsed: () => boolean): boolean;
}
