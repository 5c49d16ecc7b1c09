import { isCharmImpeded } from '../../../core/impediments.ts';
import { charmTag } from '../../../wire/tags.ts';
import { keepBlob } from '../shared/past-blobs.ts';
import type { Tx } from '../tx.ts';

/** Removes a charm that no application or unit uses; its archive is collected later, when no model has it. */
export function removeCharmIfUnused(tx: Tx, url: string): void {
  if (isCharmImpeded(tx, url)) return;
  tx.remove('annotation', charmTag(url));
  const doc = tx.get('charm', url);
  if (doc) keepBlob(tx, { sha256: doc.sha256, size: doc.size, of: `charm ${url}` });
  tx.remove('charm', url);
}
