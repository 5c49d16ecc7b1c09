/** Files by their SHA-256 (hex): written once, durable when `put` resolves, never changed. */
export interface BlobStore {
  /** Errors: rejects when `sha256` is given and differs from the content's. Returns the content's SHA-256 and size. */
  put(content: Buffer | NodeJS.ReadableStream, sha256?: string): Promise<{ sha256: string; size: number }>;
  /** Path to read it from, or undefined. */
  path(sha256: string): string | undefined;
  read(sha256: string): Promise<Buffer>;
  remove(sha256: string): Promise<void>;
}
