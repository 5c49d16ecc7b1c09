import { compareNames } from '../../../core/names.ts';
import type { StorageDoc } from '../../../core/storage/document.ts';
import type { View } from '../../transactions/tx.ts';

/** Storage by id, all of the view's model by default. Names are few: only numbers are compared for each. */
export function sortedStorage(view: View, docs: Iterable<StorageDoc> = view.list('storage')): StorageDoc[] {
  const byName = Map.groupBy(docs, ({ name }) => name);
  return [...byName.keys()].sort(compareNames).flatMap((name) =>
    byName
      .get(name)!
      .map((doc) => ({ doc, number: Number(doc.id.slice(name.length + 1)) }))
      .sort((a, b) => a.number - b.number)
      .map(({ doc }) => doc),
  );
}
