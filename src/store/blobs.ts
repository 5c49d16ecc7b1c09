/** A content store: files by their SHA-256 (hex), written once, durable when `put` resolves, never changed. */
export interface BlobStore {
  /**
   * Stores the content; returns its SHA-256 and size. Errors: rejects when `sha256` is given and differs from the
   * content's.
   */
  put(content: Buffer | NodeJS.ReadableStream, sha256?: string): Promise<{ sha256: string; size: number }>;
  /**
   * Stores a complete file by moving it; it must be on the store's disk and is gone afterwards, unless the blob is
   * there already. `sha256` is the content's, which the caller has computed while it wrote the file.
   */
  adopt(file: string, sha256: string): Promise<void>;
  /** Path of the blob's file; undefined when there is no such blob. */
  path(sha256: string): string | undefined;
  read(sha256: string): Promise<Buffer>;
  /** Reads at most `length` bytes from `offset`: fewer only at the end. Errors: as read. */
  readPart(sha256: string, offset: number, length: number): Promise<Buffer>;
  /** SHA-256 of every stored blob. */
  list(): Promise<readonly string[]>;
  /**
   * Runs `fn`, which puts a blob and then makes something refer to it. No blob is removed until `fn` ends, because
   * the one that it puts may be stored already and seem unused.
   */
  keep<T>(fn: () => Promise<T>): Promise<T>;
  /**
   * Removes the blob unless `isUsed`, which is called in the same turn of the event loop. Returns false when a
   * `keep` is running: the removal is then done, and `isUsed` asked, when the last one ends.
   */
  remove(sha256: string, isUsed: () => boolean): boolean;
}
