import type { BlobStore } from './blobs.ts';

/** Lets removals of blobs wait for those that are being kept (blobs.ts: keep). */
export class BlobKeeper implements Pick<BlobStore, 'keep' | 'remove'> {
  readonly #remove: (sha256: string) => void;
  readonly #waiting = new Map<string, () => boolean>();
  #keeping = 0;

  /** `remove` is synchronous, so that no reference can appear after `isUsed` was asked. */
  constructor(remove: (sha256: string) => void) {
    this.#remove = remove;
  }

  async keep<T>(fn: () => Promise<T>): Promise<T> {
    this.#keeping++;
    try {
      return await fn();
    } finally {
      this.#keeping--;
      if (this.#keeping === 0) this.#removeWaiting();
    }
  }

  remove(sha256: string, isUsed: () => boolean): boolean {
    if (this.#keeping > 0) {
      this.#waiting.set(sha256, isUsed);
      return false;
    }
    if (!isUsed()) this.#remove(sha256);
    return true;
  }

  #removeWaiting(): void {
    for (const [sha256, isUsed] of this.#waiting)
      try {
        if (!isUsed()) this.#remove(sha256);
      } catch {
        // A failed removal does not concern the upload that ends here; the blob is found at the next start.
      }
    this.#waiting.clear();
  }
}
