import type { Entities, Kind } from '../../../core/kinds.ts';
import { hasMarks, marked, type Applier } from '../../../core/model-file/ownership.ts';
import type { Tx } from '../tx.ts';

/**
 * A user's transaction: what it puts is marked as the model file's that the user applies, or, in a revert, as the
 * file's whose it was. For everybody else (`applier` undefined) it takes away the marks of values that were changed.
 */
export function markingTx(tx: Tx, applier: Applier | undefined): Tx {
  return {
    get now() {
      return tx.now;
    },
    get revision() {
      return tx.revision;
    },
    get space() {
      return tx.space;
    },
    newUuid: () => tx.newUuid(),
    get: (kind, id) => tx.get(kind, id),
    revisionOf: (kind, id) => tx.revisionOf(kind, id),
    list: (kind) => tx.list(kind),
    find: (kind, index, value) => tx.find(kind, index, value),
    count: (...of) => tx.count(...of),
    spaces: () => tx.spaces(),
    put<P extends Kind>(kind: P, id: string, doc: Entities[P]) {
      if (!hasMarks(kind)) return tx.put(kind, id, doc);
      const before = tx.get(kind, id);
      tx.put(kind, id, marked({ space: tx.space, kind, id, before, doc }, applier));
    },
    remove: (kind, id) => tx.remove(kind, id),
    in: (space) => markingTx(tx.in(space), applier),
  };
}
