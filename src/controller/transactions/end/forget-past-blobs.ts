import { isBeforeHistory } from '../../../core/past-blob/blobs-to-forget.ts';
import type { Tx } from '../tx.ts';

/** Gives up files that only a past used which the history has forgotten: it begins at `horizonAt` (RFC 3339). */
export function forgetPastBlobs(tx: Tx, horizonAt: string): void {
  for (const doc of tx.list('past-blob'))
    if (isBeforeHistory(doc, horizonAt)) tx.remove('past-blob', doc.sha256);
}
