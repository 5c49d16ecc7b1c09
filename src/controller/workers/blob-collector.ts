/**
 * Removes charm archives and contents of resources that no model uses: those of removed charms and applications,
 * contents that were replaced and, at the start, whatever a crash between an upload's two halves left. The collector
 * waits while an upload is in progress (store/blobs.ts: keep).
 */
import type { ApplicationDoc } from '../../core/application/document.ts';
import type { CharmDoc } from '../../core/charm/document.ts';
import type { ResourceDoc } from '../../core/resource/document.ts';
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
  /** Blobs that may be unreferenced; undefined = check all, as after a start. */
  let suspects: Set<string> | undefined;
  const stop = store.watch(({ changes }) => {
    for (const { kind, before, after } of changes) {
      if (!kinds.includes(kind)) continue;
      for (const sha256 of blobsOf(kind, before)) {
        if (blobsOf(kind, after).includes(sha256)) continue;
        suspects?.add(sha256);
        needs.wake();
      }
    }
  });

  async function pass(): Promise<number | void> {
    if (!suspects) {
      // The set is renewed first, so that blobs that become unreferenced while the folder is read are not missed.
      suspects = new Set();
      try {
        for (const sha256 of await services.blobs.list()) suspects.add(sha256);
      } catch (error) {
        suspects = undefined;
        throw error;
      }
    }
    for (const sha256 of suspects) {
      const outcome = collectBlob({ store, services }, sha256);
      if (outcome === 'later') return retryMs;
      suspects.delete(sha256);
      if (outcome === 'removed') log.debug('blob removed', { sha256 });
    }
  }

  return { pass, stop };
}

/** Kinds of documents that name blobs; a deploy changes thousands of others. */
const kinds: readonly string[] = ['application', 'charm', 'resource'];

function blobsOf(kind: string, doc: unknown): readonly string[] {
  if (doc === undefined) return [];
  if (kind === 'application')
    return ((doc as ApplicationDoc).rollout?.before.resources ?? []).map(({ sha256 }) => sha256);
  const { sha256 } = doc as CharmDoc | ResourceDoc;
  return sha256 === '' ? [] : [sha256];
}
