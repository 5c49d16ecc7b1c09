/**
 * Removes charm archives that no model's charm uses: archives of removed charms and, at the start, whatever a crash
 * between an upload's two halves left. The collector waits while an upload is in progress (store/blobs.ts: keep).
 */
import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import { collectBlob } from '../charms/collect-blob.ts';
import type { Services } from '../services.ts';

/** Delay until the next attempt when an upload was in progress. */
const retryMs = 2_000;

export function createBlobCollector(needs: {
  store: Store<Entities>;
  services: Pick<Services, 'blobs' | 'log'>;
  wake: () => void;
}): { pass: () => Promise<number | void>; stop: () => void } {
  const { store, services } = needs;
  const log = services.log.module('grigri.blob-collector');
  /** Archives that may be unreferenced; undefined = check all, as after a start. */
  let suspects: Set<string> | undefined;
  const stop = store.watch(({ changes }) => {
    for (const { kind, before, after } of changes) {
      if (kind !== 'charm' || !before || after) continue;
      suspects?.add(before.sha256);
      needs.wake();
    }
  });

  async function pass(): Promise<number | void> {
    if (!suspects) {
      // The set is renewed first, so that archives that become unreferenced while the folder is read are not missed.
      suspects = new Set();
      try {
        for (const sha256 of await services.blobs.list()) suspects.add(sha256);
      } catch (error) {
        suspects = undefined;
        throw error;
      }
    }
    for (const sha256 of suspects) {
      if (!collectBlob({ store, services }, sha256)) return retryMs;
      suspects.delete(sha256);
      if (services.blobs.path(sha256) === undefined) log.debug('archive removed', { sha256 });
    }
  }

  return { pass, stop };
}
