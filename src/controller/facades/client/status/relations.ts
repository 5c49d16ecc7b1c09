import type { RelationDoc } from '../../../../core/relation/document.ts';
import type { Status } from '../../../../core/status.ts';
import type { RelationStatus } from '../../../../wire/facades/client.ts';
import { relationStatusOf } from '../../../relation-status.ts';
import { detailed } from './detailed.ts';
import { withEnding } from './ending.ts';
import type { Selection } from './filter.ts';
import type { StatusScope } from './scope.ts';
import { statusSize } from './shortened.ts';

/** Statuses of relations; in a selection, those that one of its applications has. */
export async function relationStatuses(
  scope: StatusScope,
  selection: Selection | undefined,
): Promise<RelationStatus[]> {
  const { view } = scope;
  const relations = new Map<number, RelationDoc>();
  if (!selection) for (const relation of view.list('relation')) relations.set(relation.id, relation);
  for (const application of selection?.applications ?? [])
    for (const relation of view.find('relation', 'application', application))
      relations.set(relation.id, relation);
  const statuses: RelationStatus[] = [];
  for (const relation of relations.values()) {
    statuses.push(relationStatus(scope, relation));
    await scope.pause();
  }
  return statuses.sort((a, b) => a.id - b.id);
}

function relationStatus(scope: StatusScope, relation: RelationDoc): RelationStatus {
  const [first] = relation.endpoints;
  const status = shownStatus(scope, relation);
  return scope.details.of(
    {
      id: relation.id,
      key: relation.key,
      interface: first!.interface,
      scope: first!.scope,
      endpoints: relation.endpoints.map((end) => ({
        application: end.application,
        name: end.name,
        role: end.role,
        subordinate:
          end.scope === 'container' && scope.view.get('application', end.application)?.subordinate === true,
      })),
      status: detailed(status, { life: relation.life }),
    },
    statusSize(status),
  );
}

function shownStatus(scope: StatusScope, relation: RelationDoc): Status {
  const shown = relationStatusOf(scope.view, relation);
  const id = String(relation.id);
  return relation.life === 'alive' ? shown : withEnding(scope, { kind: 'relation', id }, shown);
}
