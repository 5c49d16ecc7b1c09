import { isBeforeHistory } from '../../../core/past-blob/blobs-to-forget.ts';
import type { Tx } from '../tx.ts';

/** Gives up files that only a past used which the history has forgotten: it begins at the revision `horizon`. */
export function forgetPastBlobs(tx: Tx, horizon: number): void {
  for (const { sha256 } of tx.list('past-blob'))
    if (isBeforeHistory(tx.revisionOf('past-blob', sha256), horizon)) tx.remove('past-blob', sha256);
}
