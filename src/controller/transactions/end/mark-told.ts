import type { RelationDoc } from '../../../core/relation/document.ts';
import type { Tx } from '../tx.ts';

/** Records that the offering side knows of the relation's end, or that nobody waits for that. */
export function markTold(tx: Tx, relation: RelationDoc): void {
  setConsumed(tx, relation, 'told');
}

/** Records how far the offering side knows the relation. */
export function setConsumed(tx: Tx, relation: RelationDoc, state: 'registered' | 'told'): void {
  const { remote } = relation;
  if (!remote?.consumed || remote.consumed.state === state || remote.consumed.state === 'told') return;
  tx.put('relation', String(relation.id), {
    ...relation,
    remote: { ...remote, consumed: { ...remote.consumed, state } },
  });
}
