/** Requirements in the store: read for core/requirements, whose results are written. */
import { touchedBy, type RequirementModel } from '../../../core/requirements/graph.ts';
import {
  gateRequirements,
  requireMode,
  requirementsOf,
  type Missing,
  type Requirement,
} from '../../../core/requirements/requirement.ts';
import { settle, type Settled } from '../../../core/requirements/settle.ts';
import type { CharmMeta } from '../../../core/charm/metadata.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import { mustGet, type Tx, type View } from '../tx.ts';

/**
 * Evaluates the requirements of everything that depends on these applications, in the same change: no reader ever sees
 * an unsettled model. Units are placed afterwards, by the unit placer.
 */
export function settleRequirements(tx: Tx, touched: Iterable<string>): Settled {
  // A dying application has no alive relations: it waits for nothing, and no other application can rely on it.
  const alive = [...touched].filter((name) => tx.get('application', name)?.life === 'alive');
  const settled = settle(requirementModel(tx), alive);
  for (const [name, missing] of settled.changed) {
    const application = mustGet(tx, 'application', name);
    tx.put('application', name, withMissing(tx, application, missing));
  }
  return settled;
}

/**
 * Evaluates requirements after these relations were added or removed; applications that they do not affect are skipped.
 */
export function settleRelations(tx: Tx, relations: Iterable<Pick<RelationDoc, 'endpoints'>>): Settled {
  const model = requirementModel(tx);
  return settleRequirements(tx, new Set([...relations].flatMap((relation) => touchedBy(model, relation))));
}

/** Model of the requirements, read from the model's space. */
export function requirementModel(view: View): RequirementModel {
  const requirements = requirementsIn(view);
  return {
    application(name) {
      const application = view.get('application', name);
      const charm = application && view.get('charm', application.charmUrl);
      if (!charm) return undefined;
      const { subordinate, pending } = application;
      return {
        subordinate,
        requirements: [...requirements(application, charm.meta), ...gateRequirements(application.after)],
        missing: pending?.missing,
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

/**
 * Endpoints that each application of the model's space requires, according to its charm, its operator and the model.
 */
export function requirementsIn(
  view: View,
): (application: Pick<ApplicationDoc, 'require'>, meta: CharmMeta) => Requirement[] {
  const mode = requireMode(view.in('').get('model', view.space)?.config);
  return ({ require }, meta) => requirementsOf(meta, require, mode);
}

function withMissing(
  tx: Tx,
  { pending, ...rest }: ApplicationDoc,
  missing: readonly Missing[] | undefined,
): ApplicationDoc {
  return missing ? { ...rest, pending: { since: pending?.since ?? tx.now, missing } } : rest;
}
