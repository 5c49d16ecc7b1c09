import { createSecretKey } from 'node:crypto';
import { createSealer } from '../controller/sealer.ts';
import { SecretContents } from '../controller/secret-contents.ts';
import type { SecretBackend } from '../controller/secret-backends/backend.ts';
import { ExternalBackends } from '../controller/secret-backends/backends.ts';
import { InternalBackend } from '../controller/secret-backends/internal.ts';
import type { Services } from '../controller/services.ts';
import type { Entities } from '../core/kinds.ts';
import { systemClock, type Clock } from '../kit/clock.ts';
import type { ContentStore } from '../store/contents.ts';
import { cannot } from '../store/mirror/journal.ts';
import type { Store } from '../store/store.ts';

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

/** Returns services for secrets, with a key of zeros and the controller's contents in memory. */
export function testSecrets(
  store: Store<Entities>,
  clock: Clock = systemClock,
): Pick<Services, 'sealer' | 'secretContents' | 'secretBackends'> {
  const sealer = createSealer(createSecretKey(Buffer.alloc(32)));
  const internal = new InternalBackend(new MemoryContents(), sealer);
  const secretBackends = new ExternalBackends({ store, sealer, clock });
  const external = (id: string): SecretBackend => secretBackends.get(id);
  return { sealer, secretBackends, secretContents: new SecretContents({ internal, external, sealer }) };
}
