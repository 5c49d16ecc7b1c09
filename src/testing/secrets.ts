/** Services for secrets. */
import { createSecretKey } from 'node:crypto';
import { createSealer } from '../controller/sealer.ts';
import { SecretContents } from '../controller/secret-contents.ts';
import type { SecretBackend } from '../controller/secret-backends/backend.ts';
import { ExternalBackends } from '../controller/secret-backends/backends.ts';
import { InternalBackend } from '../controller/secret-backends/internal.ts';
import type { Services } from '../controller/services.ts';
import type { Entities } from '../core/kinds.ts';
import { MemoryContents } from '../store/memory-contents.ts';
import { systemClock, type Clock } from '../kit/clock.ts';
import type { Store } from '../store/store.ts';

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
