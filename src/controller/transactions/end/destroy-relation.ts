import type { RelationDoc } from '../../../core/relation/document.ts';
import { advance } from '../../../core/life.ts';
import { clear } from './clear.ts';
import { findRelation } from '../begin/find-relation.ts';
import { ending, isDue, type ForceRequest } from './force.ts';
import { removeRelationIfEmpty } from './leave-scope.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { settleRelations } from '../shared/requirements.ts';
import { forceWarnings } from './skipped.ts';
import type { Tx } from '../tx.ts';

/**
 * remove-relation, by id or by its two endpoints. A relation with an empty scope is removed at once; else it is dying
 * until the last unit left. With force, units that are in scope at the deadline leave without their hooks.
 * Errors: `not found`; '' for peer relations.
 */
export function destroyRelation(
  tx: Tx,
  args: { endpoints?: readonly string[]; id?: number; force?: ForceRequest },
): { warnings: string[]; settled: Settled } {
  const relation = findRelation(tx, args);
  const id = String(relation.id);
  const entity = { kind: 'relation', id } as const;
  refuseRemoval(tx, entity, args.force);
  setRelationDying(tx, relation, args.force);
  const settled = settleRelations(tx, relation.life === 'alive' ? [relation] : []);
  const warnings = forceWarnings(tx, entity);
  if (isDue(tx, tx.get('relation', id))) clear(tx, entity);
  return { warnings, settled };
}

/**
 * Makes the relation dying, and removes it when its scope is empty. The caller settles the requirements of both
 * endpoints once it has changed all that goes together.
 */
export function setRelationDying(tx: Tx, relation: RelationDoc, force?: ForceRequest): void {
  const life = advance(relation.life, 'dying');
  tx.put('relation', String(relation.id), { ...relation, life, ...ending(tx, relation, force) });
  removeRelationIfEmpty(tx, String(relation.id));
}
