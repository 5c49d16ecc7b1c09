import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';

/** Removes a blob that no model's charm, resource or roll-out uses. False when an upload is in progress: it happens afterwards. */
export function collectBlob(
  { store, services }: { store: Store<Entities>; services: Pick<Services, 'blobs'> },
  sha256: string,
): boolean {
  return services.blobs.remove(sha256, () => {
    const reader = store.read();
    for (const space of reader.spaces())
      for (const kind of ['charm', 'resource', 'application'] as const)
        if (reader.in(space).count(kind, 'sha256', sha256) > 0) return true;
    return false;
  });
}
