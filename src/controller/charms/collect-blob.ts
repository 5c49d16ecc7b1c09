import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';

/**
 * Removes a blob unless a model's charm, resource or roll-out uses it, or its past did. `later`: an upload is in
 * progress, and the removal happens afterwards.
 */
export function collectBlob(
  { store, services }: { store: Store<Entities>; services: Pick<Services, 'blobs'> },
  sha256: string,
): 'removed' | 'used' | 'later' {
  let isUsed = false;
  const isDone = services.blobs.remove(sha256, () => (isUsed = isBlobUsed(store, sha256)));
  return isDone ? (isUsed ? 'used' : 'removed') : 'later';
}

function isBlobUsed(store: Store<Entities>, sha256: string): boolean {
  const reader = store.read();
  for (const space of reader.spaces())
    for (const kind of ['charm', 'resource', 'application', 'past-blob'] as const)
      if (reader.in(space).count(kind, 'sha256', sha256) > 0) return true;
  return false;
}
