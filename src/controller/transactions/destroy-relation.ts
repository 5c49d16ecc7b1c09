import type { RelationDoc } from '../../core/entities.ts';
import { findRelation } from './find-relation.ts';
import { ending, type ForceRequest } from './force.ts';
import { leaveScope, removeRelationIfEmpty } from './leave-scope.ts';
import { refuseRemoval } from './refuse-removal.ts';
import type { Tx } from './tx.ts';

/**
 * remove-relation, by id or by its two ends. Gone at once with an empty scope, else dying until the last unit left;
 * forced, every unit leaves now.
 * Errors: `not found`; '' for peer relations.
 */
export function destroyRelation(
  tx: Tx,
  args: { endpoints?: readonly string[]; id?: number; force?: ForceRequest },
): { warnings: string[] } {
  const relation = findRelation(tx, args);
  refuseRemoval(tx, { kind: 'relation', id: String(relation.id) }, args.force);
  setRelationDying(tx, relation);
  if (!args.force) return { warnings: [] };
  for (const scope of tx.find('scope', 'relation', String(relation.id)))
    leaveScope(tx, { unit: scope.unit, relation: String(relation.id) });
  return { warnings: [] };
}

/** Removed when nobody is in it. */
export function setRelationDying(tx: Tx, relation: RelationDoc): void {
  if (relation.life === 'alive')
    tx.put('relation', String(relation.id), {
      ...relation,
      life: 'dying',
      ...ending(tx, relation, undefined),
    });
  removeRelationIfEmpty(tx, String(relation.id));
}
