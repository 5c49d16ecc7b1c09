import { compareNames } from '../../../core/names.ts';
import type { StorageDoc } from '../../../core/storage/document.ts';
import type { View } from '../../transactions/tx.ts';

/** All storage of the view's model, by id. */
export function sortedStorage(view: View): StorageDoc[] {
  return [...view.list('storage')].sort((a, b) => compareNames(a.id, b.id));
}
