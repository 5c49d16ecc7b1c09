import type { RelationDoc } from '../../../core/relation/document.ts';
import type { Status } from '../../../core/status.ts';
import { statusOf, type View } from '../../transactions/tx.ts';

/** Status of a relation: joined as soon as a unit is in it. */
export function relationStatusOf(view: View, relation: RelationDoc): Status {
  const id = String(relation.id);
  const status = statusOf(view, 'relation', id, relation.createdAt);
  const joined = status.status === 'joining' && view.count('scope', 'relation', id) > 0;
  return joined ? { ...status, status: 'joined' } : status;
}
