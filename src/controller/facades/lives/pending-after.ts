import { relationKey } from '../../../core/relation/key.ts';
import type { RequirementModel } from '../../../core/requirements/graph.ts';
import { settle } from '../../../core/requirements/settle.ts';
import type { PlannedRemoval } from '../../../wire/facades/removal-plan.ts';
import { requirementModel } from '../../transactions/shared/requirements.ts';
import type { View } from '../../transactions/tx.ts';

/** Applications that would wait, or wait for something else, after the planned removals. */
export function pendingAfter(view: View, { targets }: PlannedRemoval): Pick<PlannedRemoval, 'pending'> {
  const dyingNames = (kind: string): Set<string> =>
    new Set(
      targets.flatMap(({ dies = [] }) => dies.flatMap((group) => (group.kind === kind ? group.names : []))),
    );
  const applications = dyingNames('application');
  const relations = dyingNames('relation');
  const model = requirementModel(view);
  const modelAfter: RequirementModel = {
    application: (name) => (applications.has(name) ? undefined : model.application(name)),
    *relations(application, endpoint) {
      for (const relation of model.relations(application, endpoint))
        if (!relations.has(relationKey(relation.endpoints))) yield relation;
    },
  };
  const relatedApplications = [...relations].flatMap((key) =>
    [...view.find('relation', 'key', key)].flatMap(({ endpoints }) =>
      endpoints.map(({ application }) => application),
    ),
  );
  const { changed } = settle(
    modelAfter,
    new Set(relatedApplications.filter((name) => !applications.has(name))),
  );
  const pending = [...changed].flatMap(([application, missing]) =>
    missing ? [{ application, missing }] : [],
  );
  return pending.length > 0 ? { pending } : {};
}
