import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from './event.ts';

/** Whose history, and how much of it. */
export interface HistoryScope {
  readonly entity: EntityRef;
  /** Also every status: of a model all, and what agents do hook by hook. */
  readonly statuses: boolean;
}

/**
 * The events that are in a history: those about the entity; of the model all. Statuses are many: without `statuses`,
 * those of the entity itself are shown, but not what its agent does hook by hook; of the model its own, and errors.
 */
export function selectEvents(
  events: Iterable<HistoryEvent>,
  { entity, statuses }: HistoryScope,
): HistoryEvent[] {
  const selected: HistoryEvent[] = [];
  for (const event of events) {
    if (entity.kind !== 'model' && !event.about.some((one) => isSame(one, entity))) continue;
    const own = isSame(event.about[0], entity);
    if (!event.report || statuses || (event.report === 'status' && own)) selected.push(event);
  }
  return selected;
}

/** A model's own status knows no uuid. */
function isSame(one: EntityRef | undefined, entity: EntityRef): boolean {
  return one?.kind === entity.kind && (one.kind === 'model' || one.id === entity.id);
}
