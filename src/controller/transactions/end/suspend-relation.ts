import { permissionRevoked } from '../../../core/remote-application/trouble.ts';
import { allows, grantee } from '../../../core/access/access-of.ts';
import { cut, limits } from '../../../core/limits.ts';
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import { settleSuspension } from './leave-scope.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';

/** A wanted suspension; absent = none. */
type Suspension = NonNullable<RelationDoc['suspended']> | undefined;

/**
 * suspend-relation and resume-relation, on the offering side. Errors: `not found`; '' for a relation without an offer;
 * `unauthorized access` when the consuming user has lost the access.
 */
export function suspendRelation(
  tx: Tx,
  { id, suspended }: { readonly id: number; readonly suspended: Suspension },
): void {
  const relation = mustGet(tx, 'relation', String(id));
  const { offered } = relation.remote ?? {};
  if (!offered)
    throw new JujuError(
      '',
      `cannot set suspend status for "${relation.key}" which is not associated with an offer`,
    );
  if (!suspended && !mayConsume(tx, offered)) throw permissionDenied();
  setSuspended(tx, relation, suspended && { reason: cut(limits.statusMessage, suspended.reason) });
}

/** Whether the user may consume the offer. */
export function mayConsume(
  tx: Tx,
  { offer: name, user: userName }: { readonly offer: string; readonly user: string },
): boolean {
  const root = tx.in('');
  const offer = tx.get('offer', name);
  const user = grantee(root, userName);
  if (!offer || !user) return false;
  return allows(root, user, { kind: 'offer', id: offer.uuid, model: tx.space }, 'consume');
}

/**
 * Suspends the relations that a user has made by those offers of these models that the user may not consume any more;
 * in the controller's space, after the access has changed.
 */
export function suspendRevoked(
  tx: Tx,
  { user, models }: { readonly user: string; readonly models: Iterable<string> },
): void {
  for (const model of models) {
    const space = tx.in(model);
    for (const relation of space.find('relation', 'user', user)) {
      const { offered } = relation.remote ?? {};
      if (!offered || relation.suspended || relation.life !== 'alive') continue;
      if (!mayConsume(space, offered)) setSuspended(space, relation, { reason: permissionRevoked });
    }
  }
}

/** Every model, for a change of access that concerns all. */
export function* allModels(tx: Tx): Generator<string> {
  for (const { uuid } of tx.list('model')) yield uuid;
}

/** Sets or ends the suspension of one side; its units leave, or enter again. */
export function setSuspended(tx: Tx, relation: RelationDoc, suspended: Suspension): void {
  const id = String(relation.id);
  if (relation.suspended?.reason === suspended?.reason && !relation.suspended === !suspended) return;
  const { suspended: _, ...rest } = relation;
  tx.put('relation', id, suspended ? { ...rest, suspended } : rest);
  if (relation.life !== 'alive') return;
  setStatus(tx, 'relation', id, suspended ? 'suspending' : 'joining', suspended?.reason ?? '');
  settleSuspension(tx, id);
}
