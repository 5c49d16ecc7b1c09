/** Removal of a relation. */
import { call, type ResultOf } from '../../client/calls.ts';
import type { PlannedRemoval } from '../../wire/facades/removal-plan.ts';
import type { ModelSession } from '../sessions.ts';
import { defined } from '../../core/defined.ts';

interface RelationRemoval {
  /** Id of the relation, or one name for each end: `mysql:db`. */
  readonly relation: number | readonly string[];
  readonly force: boolean;
}

/** Returns what the removal would do, and changes nothing. */
export function planRelationRemoval(
  { connection }: ModelSession,
  { relation, force }: RelationRemoval,
): Promise<PlannedRemoval> {
  return call(connection, 'Lives', 'PlanRemoval', {
    targets: [typeof relation === 'number' ? { 'relation-id': relation } : { endpoints: [...relation] }],
    ...defined({ force: force || undefined }),
  });
}

/** Removes the relation. Errors: the controller's. */
export function removeRelation(
  { connection }: ModelSession,
  { relation, force }: RelationRemoval,
): Promise<ResultOf<'Application', 'DestroyRelation'>> {
  return call(connection, 'Application', 'DestroyRelation', {
    ...defined({ endpoints: typeof relation === 'number' ? undefined : [...relation] }),
    'relation-id': typeof relation === 'number' ? relation : 0,
    ...defined({ force: force || undefined }),
  });
}
