import { createSecretKey } from 'node:crypto';
import { createSealer } from '../controller/sealer.ts';
import { SecretContents } from '../controller/secret-contents.ts';
import type { Services } from '../controller/services.ts';
import type { ContentStore } from '../store/contents.ts';

/** Contents in memory; they outlive the processes that use them, as those on a disk do. */
export class MemoryContents implements ContentStore {
  readonly #sealed = new Map<string, string>();

  put(contents: readonly { readonly key: string; readonly sealed: string }[]): void {
    for (const { key, sealed } of contents) if (!this.#sealed.has(key)) this.#sealed.set(key, sealed);
  }
  get(key: string): string | undefined {
    return this.#sealed.get(key);
  }
  size(key: string): number | undefined {
    return this.#sealed.get(key)?.length;
  }
  keys(): readonly string[] {
    return [...this.#sealed.keys()];
  }
  erase(keys: readonly string[]): void {
    for (const key of keys) this.#sealed.delete(key);
  }
  close(): void {
    // Nothing is open.
  }
}

/** Services for secrets, with a key of nothing and contents in memory. */
export function testSecrets(): Pick<Services, 'sealer' | 'secretContents'> {
  const sealer = createSealer(createSecretKey(Buffer.alloc(32)));
  return { sealer, secretContents: new SecretContents(new MemoryContents(), sealer) };
}
