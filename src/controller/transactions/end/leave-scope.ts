import { scopeId } from '../../../core/scope/document.ts';
import { isImpeded } from '../../../core/impediments.ts';
import { dropRelation, removeApplicationIfUnreferenced } from './remove-application.ts';
import type { Tx } from '../tx.ts';

/**
 * The unit leaves the relation's scope. The last to leave a dying relation removes it, and with it the dying
 * applications that only it was holding: possibly another unit's application (relations.md#scope-leave).
 */
export function leaveScope(tx: Tx, args: { unit: string; relation: string }): void {
  tx.remove('scope', scopeId(args));
  removeRelationIfEmpty(tx, args.relation);
}

/** A dying relation with an empty scope is removed. */
export function removeRelationIfEmpty(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (!relation || relation.life === 'alive' || isImpeded({ kind: 'relation', id }, tx)) return;
  dropRelation(tx, id);
  for (const endpoint of relation.endpoints) removeApplicationIfUnreferenced(tx, endpoint.application);
}

/** Counterparts see it as gone from now on; its own side can still read. */
export function prepareLeaveScope(tx: Tx, args: { unit: string; relation: string }): void {
  const scope = tx.get('scope', scopeId(args));
  if (scope && !scope.departing) tx.put('scope', scopeId(args), { ...scope, departing: true });
}
