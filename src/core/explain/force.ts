import type { Force } from '../life.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { Actor, ExplainView } from './explanation.ts';

/** The force that will clear the entity: its own, or that of what takes it along; the first deadline counts. */
export function forceOf(entity: EntityRef, view: ExplainView): Force | undefined {
  let first: Force | undefined;
  for (const force of [view.model?.force, ...own(entity, view)])
    if (force && (!first || force.deadline < first.deadline)) first = force;
  return first;
}

function own({ kind, id }: EntityRef, view: ExplainView): (Force | undefined)[] {
  switch (kind) {
    case 'unit': {
      const unit = view.get('unit', id);
      if (!unit) return [];
      return [
        unit.force,
        view.get('application', unit.application)?.force,
        unit.machine === undefined ? undefined : view.get('machine', unit.machine)?.force,
        unit.principal === undefined ? undefined : view.get('unit', unit.principal)?.force,
      ];
    }
    case 'relation': {
      const relation = view.get('relation', id);
      if (!relation) return [];
      const ends = relation.endpoints.map(({ application }) => view.get('application', application)?.force);
      return [relation.force, ...ends];
    }
    case 'machine': {
      const machine = view.get('machine', id);
      const host = machine?.parent === undefined ? undefined : view.get('machine', machine.parent);
      return [machine?.force, host?.force];
    }
    case 'application':
      return [view.get('application', id)?.force];
    case 'model':
      return [];
  }
}

/** Where nobody else acts any more, the deadline does. */
export function cleaner(name: string, { deadline }: Force, now: string): Actor {
  const when = deadline > now ? `at ${deadline.slice(11, 19)}Z` : 'now';
  return { kind: 'cleaner', name, task: `clears what is left of it ${when}`, commands: [] };
}
