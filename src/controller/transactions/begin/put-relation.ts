import type { RelationDoc } from '../../../core/relation/document.ts';
import { takeNumbers, type Tx } from '../tx.ts';

/** Stores a new relation under the next number. */
export function putRelation(tx: Tx, fields: Pick<RelationDoc, 'key' | 'endpoints' | 'remote'>): RelationDoc {
  const id = takeNumbers(tx, 'relation');
  const relation: RelationDoc = { id, ...fields, life: 'alive', createdAt: tx.now };
  tx.put('relation', String(id), relation);
  return relation;
}
