import type { RelationDoc } from '../../../core/relation/document.ts';
import { scopeId } from '../../../core/scope/document.ts';
import { isImpeded } from '../../../core/impediments.ts';
import { makePeers } from '../begin/make-peers.ts';
import { dropRelation, removeApplicationIfUnreferenced } from './remove-application.ts';
import { setStatus, type Tx } from '../tx.ts';

/**
 * Takes the unit out of the relation's scope. The last unit to leave a dying relation removes it, and with it dying
 * applications that nothing else refers to, possibly another unit's application (relations.md#scope-leave).
 */
export function leaveScope(tx: Tx, args: { unit: string; relation: string }): void {
  tx.remove('scope', scopeId(args));
  settleSuspension(tx, args.relation);
  removeRelationIfEmpty(tx, args.relation);
}

/** Makes a suspended relation `suspended` once every unit of this model has left it (offers.md#suspended-relations). */
export function settleSuspension(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (!relation?.suspended || relation.life !== 'alive' || tx.count('scope', 'local', id) > 0) return;
  setStatus(tx, 'relation', id, 'suspended', relation.suspended.reason);
}

/** Removes a dying relation with an empty scope. */
export function removeRelationIfEmpty(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (!relation || relation.life === 'alive' || isImpeded({ kind: 'relation', id }, tx)) return;
  dropRelation(tx, id);
  renewPeers(tx, relation);
  for (const endpoint of relation.endpoints) removeApplicationIfUnreferenced(tx, endpoint.application);
}

/** Makes a peer relation anew that a refresh ended, when the application has a charm with that endpoint again. */
function renewPeers(tx: Tx, { id, endpoints: [end] }: RelationDoc): void {
  if (end?.role !== 'peer' || tx.get('relation', String(id))) return;
  const application = tx.get('application', end.application);
  const charm = application?.life === 'alive' && tx.get('charm', application.charmUrl);
  if (charm) makePeers(tx, end.application, charm.meta);
}

/** Hides the unit from its counterparts, which see it as departed from now on; its own side can still read. */
export function prepareLeaveScope(tx: Tx, args: { unit: string; relation: string }): void {
  const scope = tx.get('scope', scopeId(args));
  if (scope && !scope.departing) tx.put('scope', scopeId(args), { ...scope, departing: true });
}
