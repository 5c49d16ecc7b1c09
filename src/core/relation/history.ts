/** Descriptions of changes of a relation, for the history. */
import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from '../history/event.ts';
import { describeLiving } from '../history/living.ts';
import type { RelationDoc } from './document.ts';

export function describeRelation(
  before: RelationDoc | undefined,
  after: RelationDoc | undefined,
): HistoryEvent[] {
  const { id, key, endpoints } = (after ?? before)!;
  const applications = [...new Set(endpoints.map((end) => end.application))];
  const refs: EntityRef[] = [
    { kind: 'relation', id: String(id) },
    ...applications.map((application): EntityRef => ({ kind: 'application', id: application })),
  ];
  return describeLiving(`relation ${id} (${key})`, refs, before, after, {});
}
