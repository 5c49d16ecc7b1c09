import type { Endpoint } from '../charm/metadata.ts';
import type { HistoryEvent } from '../history/event.ts';
import { ofUnit, relationName, relationRef, unitRef } from '../history/words.ts';
import { defineKind } from '../kind.ts';

/** Membership of a unit in a relation's scope. Model space; id = `<relation id>#<unit>`. */
export interface ScopeDoc {
  readonly relation: string;
  readonly unit: string;
  readonly application: string;
  readonly role: Endpoint['role'];
  /** The principal unit whose container this is, for container-scoped relations; '' for global ones. */
  readonly container: string;
  /** Whether counterparts no longer see the unit. */
  readonly departing: boolean;
  /** Set for a unit of another model, which has no hooks here that would have to be waited for. */
  readonly remote?: true;
}

/** The id `<relation id>#<unit>`. */
export function scopeId({
  relation,
  unit,
}: {
  readonly relation: string | number;
  readonly unit: string;
}): string {
  return `${relation}#${unit}`;
}

export const scope = defineKind<ScopeDoc>()({
  space: 'model',
  idOf: scopeId,
  indexes: {
    relation: (doc) => doc.relation,
    /** Units of this model only. */
    local: (doc) => (doc.remote ? undefined : doc.relation),
    unit: (doc) => doc.unit,
    /** The set that a counterpart watches: one application's side, or one container. */
    side: (doc) =>
      doc.container === '' ? `${doc.relation} ${doc.application}` : `${doc.relation} in ${doc.container}`,
  },
  findRemovedBy: ['relation'],
  upkeep: 'old',
  describe: (before, after, { names }) => {
    const scope = after ?? before;
    if (!scope) return [];
    const relation = relationName(scope.relation, names);
    const scopeEvent = (what: string): HistoryEvent[] => [
      {
        ...ofUnit(scope.unit),
        what: `${what} ${relation}`,
        about: [unitRef(scope.unit), relationRef(scope.relation)],
      },
    ];
    if (!before) return scopeEvent('entered the scope of');
    if (!after) return scopeEvent('left the scope of');
    return after.departing && !before.departing ? scopeEvent('is leaving') : [];
  },
});
