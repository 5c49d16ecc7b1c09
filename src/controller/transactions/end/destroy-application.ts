import type { Settled } from '../../../core/requirements/settle.ts';
import { clear } from './clear.ts';
import { setRelationDying } from './destroy-relation.ts';
import { ending, isDue, type ForceRequest } from './force.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { removeCharmIfUnused } from './remove-charm.ts';
import { removeApplicationIfUnreferenced, removeOffersOf } from './remove-application.ts';
import { settleRelations } from '../shared/requirements.ts';
import { forceWarnings } from './skipped.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * remove-application: the application is dying and its relations are dying or removed; it is removed at once when
 * nothing refers to it. Its units are made dying, and forced ones cleared, in batches by the cleaner, never all in one
 * change.
 * Errors: `not found`; '' when it is used through an offer (force does not help).
 */
export function destroyApplication(
  tx: Tx,
  args: {
    application: string;
    force?: ForceRequest;
    destroyStorage?: boolean;
    /** Removes the application's offers, used or not, for a model that is destroyed. */
    removeOffers?: boolean;
  },
): { warnings: string[]; settled: Settled } {
  const { pending: _, rollout, ...application } = mustGet(tx, 'application', args.application);
  const { name } = application;
  const entity = { kind: 'application', id: name } as const;
  if (!args.removeOffers) refuseRemoval(tx, entity, args.force);
  removeOffersOf(tx, name);
  const life = application.life === 'alive' ? 'dying' : application.life;
  tx.put('application', name, {
    ...application,
    life,
    ...ending(tx, application, args.force),
    ...(args.destroyStorage && { destroyStorage: true as const }),
  });
  if (rollout) removeCharmIfUnused(tx, rollout.before.charmUrl);
  const ended = [...tx.find('relation', 'application', name)].filter((one) => one.life === 'alive');
  for (const relation of tx.find('relation', 'application', name))
    // The removal of a relation with an empty scope may have removed the others too.
    if (tx.get('relation', String(relation.id))) setRelationDying(tx, relation);
  const settled = settleRelations(tx, ended);

  const warnings = forceWarnings(tx, entity);
  if (isDue(tx, tx.get('application', name))) clear(tx, entity);
  else removeApplicationIfUnreferenced(tx, name);
  return { warnings, settled };
}
