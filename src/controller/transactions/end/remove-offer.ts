import { JujuError } from '../../../core/errors.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { settleRelations } from '../shared/requirements.ts';
import type { Tx } from '../tx.ts';
import { setRelationDying } from './destroy-relation.ts';
import type { ForceRequest } from './force.ts';
import { removeOffer } from './remove-application.ts';

/**
 * remove-offer. With force its relations are removed by force, and the offer at once: they have what they need of it.
 * Errors: `not found`; '' while it has relations.
 */
export function destroyOffer(
  tx: Tx,
  args: { readonly name: string; readonly force?: ForceRequest },
): Settled {
  const offer = tx.get('offer', args.name);
  if (!offer) throw new JujuError('not found', `application offer "${args.name}" not found`);
  const relations = [...tx.find('relation', 'offer', offer.name)];
  if (relations.length > 0 && !args.force) {
    const count = relations.length === 1 ? '1 relation' : `${relations.length} relations`;
    throw new JujuError('', `cannot delete application offer "${offer.name}": offer has ${count}`);
  }
  const ended = relations.filter(({ life }) => life === 'alive');
  for (const relation of relations) setRelationDying(tx, relation, args.force);
  removeOffer(tx, offer);
  return settleRelations(tx, ended);
}
