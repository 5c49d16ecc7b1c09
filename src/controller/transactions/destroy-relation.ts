import type { RelationDoc } from '../../core/entities.ts';
import { JujuError, notFound } from '../../core/errors.ts';
import { relationKey } from '../../core/relation/key.ts';
import { inferEndpoints } from '../../core/relation/infer-endpoints.ts';
import { applicationView } from './add-relation.ts';
import { ending, type ForceRequest } from './force.ts';
import { leaveScope, removeRelationIfEmpty } from './leave-scope.ts';
import { mustGet, type Tx } from './tx.ts';

/**
 * remove-relation, by id or by its two ends. Gone at once with an empty scope, else dying until the last unit left;
 * forced, every unit leaves now.
 * Errors: `not found`; '' for peer relations.
 */
export function destroyRelation(
  tx: Tx,
  args: { endpoints?: readonly string[]; id?: number; force?: ForceRequest },
): { warnings: string[] } {
  const relation =
    args.id === undefined ? findByEndpoints(tx, args.endpoints ?? []) : tx.get('relation', String(args.id));
  if (!relation) throw notFound('relation', String(args.id));
  if (relation.endpoints.length === 1)
    throw new JujuError('', `cannot destroy relation "${relation.key}": is a peer relation`);
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

function findByEndpoints(tx: Tx, texts: readonly string[]): RelationDoc | undefined {
  const [a, b] = texts;
  if (a === undefined || b === undefined || texts.length !== 2)
    throw new JujuError('bad request', 'a relation must involve two applications');
  for (const text of texts) mustGet(tx, 'application', text.split(':')[0]!);
  // What exists decides first: several could be made between the two where just one was.
  const between = [...tx.find('relation', 'application', a.split(':')[0]!)].filter(
    (relation) => relation.endpoints.length === 2 && matches(relation, a) && matches(relation, b),
  );
  if (between.length === 1) return between[0];
  const key = relationKey(inferEndpoints(texts, (name) => applicationView(tx, name)));
  const found = [...tx.find('relation', 'key', key)][0];
  if (!found) throw new JujuError('not found', `relation "${key}" not found`);
  return found;
}

function matches(relation: RelationDoc, text: string): boolean {
  const [application, endpoint] = text.split(':');
  return relation.endpoints.some(
    (one) => one.application === application && (endpoint === undefined || one.name === endpoint),
  );
}
