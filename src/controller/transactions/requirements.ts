/** Requirements in the store: read as core/requirements wants them, and what it settles written down. */
import { touchedBy, type RequirementModel } from '../../core/requirements/graph.ts';
import {
  requireModes,
  requirementsOf,
  type Missing,
  type RequireMode,
} from '../../core/requirements/requirement.ts';
import { settle, type Settled } from '../../core/requirements/settle.ts';
import type { ApplicationDoc, RelationDoc } from '../../core/entities.ts';
import { mustGet, type Tx, type View } from './tx.ts';

/**
 * Settles again what depends on these applications, in the same change: no reader ever sees a model that is not
 * settled. Units are placed afterwards, by the unit placer.
 */
export function settleRequirements(tx: Tx, touched: Iterable<string>): Settled {
  // One that is going has no alive relations: it waits for nothing, and nobody gets anything of it.
  const alive = [...touched].filter((name) => tx.get('application', name)?.life === 'alive');
  const settled = settle(requirementModel(tx), alive);
  for (const [name, missing] of settled.changed) {
    const application = mustGet(tx, 'application', name);
    tx.put('application', name, withMissing(tx, application, missing));
  }
  return settled;
}

/** The same, after these relations began or ended: what it does not matter to is not looked at. */
export function settleRelations(tx: Tx, relations: Iterable<Pick<RelationDoc, 'endpoints'>>): Settled {
  const model = requirementModel(tx);
  return settleRequirements(tx, new Set([...relations].flatMap((relation) => touchedBy(model, relation))));
}

/** In the model's space. */
export function requirementModel(view: View): RequirementModel {
  const mode = requireMode(view.in('').get('model', view.space)?.config);
  return {
    application(name) {
      const application = view.get('application', name);
      const charm = application && view.get('charm', application.charmUrl);
      if (!charm) return undefined;
      const { subordinate, require, pending } = application;
      return {
        subordinate,
        requirements: requirementsOf(charm.meta, require, mode),
        ...(pending ? { missing: pending.missing } : {}),
      };
    },
    *relations(application, endpoint) {
      const found =
        endpoint === undefined
          ? view.find('relation', 'application', application)
          : view.find('relation', 'endpoint', `${application}:${endpoint}`);
      for (const relation of found) if (relation.life === 'alive') yield relation;
    },
  };
}

export function requireMode(config: Readonly<Record<string, unknown>> | undefined): RequireMode {
  const mode = config?.['require-endpoints'];
  return requireModes.find((one) => one === mode) ?? 'declared';
}

function withMissing(
  tx: Tx,
  { pending, ...rest }: ApplicationDoc,
  missing: readonly Missing[] | undefined,
): ApplicationDoc {
  return missing ? { ...rest, pending: { since: pending?.since ?? tx.now, missing } } : rest;
}
