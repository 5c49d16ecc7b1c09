import type { EntityRef } from '../entity-ref.ts';
import { earlier, type Force } from '../life.ts';
import { living } from '../living.ts';
import type { Actor, ExplainView } from './explanation.ts';

/**
 * The force that will clear the entity: its own, or that of an entity whose removal includes it; the earliest deadline
 * counts.
 */
export function forceOf(entity: EntityRef, view: ExplainView): Force | undefined {
  let earliest = view.model?.force;
  for (const { kind, id } of [entity, ...living[entity.kind].clearedWith(entity.id, view)])
    if (kind !== 'model') earliest = earlier(earliest, view.get(kind, id)?.force);
  return earliest;
}

/** The cleaner as actor: when nobody else acts, the force's deadline ends the wait. */
export function cleaner(name: string, { deadline }: Force, now: string): Actor {
  const when = deadline > now ? `at ${deadline.slice(11, 19)}Z` : 'now';
  return { kind: 'cleaner', name, task: `removes what is left of it ${when}`, commands: [] };
}
