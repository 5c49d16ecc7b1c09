/**
 * Removes charm archives and contents of resources that no model uses, or has used in the past that its history shows
 * (reverts.md#kept-files) and, at the start, whatever a crash between an upload's two halves left. The collector waits
 * while an upload is in progress (store/blobs.ts: keep).
 */
import type { PastBlobDoc } from '../../core/past-blob/document.ts';
import { isBeforeHistory } from '../../core/past-blob/blobs-to-forget.ts';
import type { ApplicationDoc } from '../../core/application/document.ts';
import type { CharmDoc } from '../../core/charm/document.ts';
import type { ResourceDoc } from '../../core/resource/document.ts';
import type { Entities } from '../../core/kinds.ts';
import { isFrozen } from '../../core/migration/phases.ts';
import type { Store } from '../../store/store.ts';
import { collectBlob } from '../charms/collect-blob.ts';
import type { Services } from '../services.ts';
import { forgetPastBlobs } from '../transactions/end/forget-past-blobs.ts';

/** Delay until the next attempt when an upload was in progress. */
const retryMs = 2_000;
/** Delay until the collector looks again whether the history has forgotten what files are kept for. */
const forgetMs = 3_600_000;

const by = 'blob-collector';

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
    const next = await forget();
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
    return next;
  }

  /** Gives up files of a past that the history has forgotten. Returns when to look again, if any are kept. */
  async function forget(): Promise<number | undefined> {
    let kept = 0;
    for (const model of store.read().spaces()) {
      const view = store.read().in(model);
      const { revision } = store.horizon;
      const isForgotten = [...view.list('past-blob')].some(({ sha256 }) =>
        isBeforeHistory(view.revisionOf('past-blob', sha256), revision),
      );
      if (isForgotten && mayChange(store, model))
        await store.change((tx) => forgetPastBlobs(tx.in(model), revision), by);
      kept += view.count('past-blob');
    }
    return kept > 0 ? forgetMs : undefined;
  }

  return { pass, stop };
}

/** Whether the model is not on its way from or to another controller: nothing else changes it then. */
function mayChange(store: Store<Entities>, model: string): boolean {
  const root = store.read().in('');
  return !isFrozen(root.get('migration', model)) && root.get('arrival', model)?.state !== 'arriving';
}

/** Kinds of documents that name blobs; a deploy changes thousands of others. */
const kinds: readonly string[] = ['application', 'charm', 'past-blob', 'resource'];

function blobsOf(kind: string, doc: unknown): readonly string[] {
  if (doc === undefined) return [];
  if (kind === 'application')
    return ((doc as ApplicationDoc).rollout?.before.resources ?? []).map(({ sha256 }) => sha256);
  const { sha256 } = doc as CharmDoc | PastBlobDoc | ResourceDoc;
  return sha256 === '' ? [] : [sha256];
}
