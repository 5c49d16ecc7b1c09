import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from './event.ts';

/** Which history, and how detailed. */
interface HistoryScope {
  readonly entity: EntityRef;
  /** Whether statuses are included: all of a model's, and an agent's per hook. */
  readonly statuses: boolean;
}

/**
 * The events of an entity's history; a model's history has all. Statuses are frequent: without `statuses`, an entity's
 * history has its own statuses but not its agent's per hook, and a model's history has its own and errors.
 */
export function selectEvents(
  events: Iterable<HistoryEvent>,
  { entity, statuses }: HistoryScope,
): HistoryEvent[] {
  const selected: HistoryEvent[] = [];
  for (const event of events) {
    if (entity.kind !== 'model' && !event.about.some((about) => isSame(about, entity))) continue;
    const own = isSame(event.about[0], entity);
    if (!event.report || statuses || (event.report === 'status' && own)) selected.push(event);
  }
  return selected;
}

/** Compares entities; a model's own status has no uuid. */
function isSame(about: EntityRef | undefined, entity: EntityRef): boolean {
  return about?.kind === entity.kind && (about.kind === 'model' || about.id === entity.id);
}
