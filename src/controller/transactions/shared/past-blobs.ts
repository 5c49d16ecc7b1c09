/** Files of charms and resources that are no longer used, kept for reverts (reverts.md#kept-files). */
import { blobsToForget } from '../../../core/past-blob/blobs-to-forget.ts';
import type { PastBlobDoc } from '../../../core/past-blob/document.ts';
import type { ResourceDoc } from '../../../core/resource/document.ts';
import type { Tx } from '../tx.ts';

/** Keeps the file of what goes in this change. A model that is being destroyed has no past to return to. */
export function keepBlob(tx: Tx, { sha256, size, of }: Omit<PastBlobDoc, 'endedAt'>): void {
  if (sha256 === '' || tx.in('').get('model', tx.space)?.life !== 'alive') return;
  const others = [...tx.list('past-blob')].filter((one) => one.sha256 !== sha256);
  const forgotten = blobsToForget(others, size);
  if (!forgotten) return;
  for (const id of forgotten) tx.remove('past-blob', id);
  tx.put('past-blob', sha256, { sha256, size, of, endedAt: tx.now });
}

/** Keeps the content of a resource that goes, or that another one takes the place of. An announced one has no past. */
export function keepContent(tx: Tx, doc: ResourceDoc, after?: Pick<ResourceDoc, 'sha256'>): void {
  if (doc.pendingId !== undefined || doc.sha256 === after?.sha256) return;
  keepBlob(tx, { sha256: doc.sha256, size: doc.size, of: `resource ${doc.name} of ${doc.application}` });
}
