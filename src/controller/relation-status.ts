/** Status of relations, and what is connected with an offer (offers.md#counts). */
import type { RelationDoc } from '../core/relation/document.ts';
import type { Status } from '../core/status.ts';
import { statusOf, type View } from './transactions/tx.ts';

/** Status of a relation: joined as soon as a unit is in it. */
export function relationStatusOf(view: View, relation: RelationDoc): Status {
  const id = String(relation.id);
  const status = statusOf(view, 'relation', id, relation.createdAt);
  const joined = status.status === 'joining' && view.count('scope', 'relation', id) > 0;
  return joined ? { ...status, status: 'joined' } : status;
}

/** Numbers of an offer's connections, counted anew each time. */
export function connectionCounts(
  view: View,
  offer: string,
): { 'active-connected-count': number; 'total-connected-count': number } {
  let active = 0;
  for (const relation of view.find('relation', 'offer', offer))
    if (relation.life === 'alive' && relationStatusOf(view, relation).status === 'joined') active++;
  return {
    'active-connected-count': active,
    'total-connected-count': view.count('relation', 'offer', offer),
  };
}
