import type { HistoryEvent } from '../history/event.ts';
import { ofUnit, unitRef } from '../history/words.ts';
import { defineKind } from '../kind.ts';

/** Duration in milliseconds of the leases that agents claim (unit-agent.md#lease). */
export const leaseMs = 60_000;

/** A leadership lease, which fences acknowledged writes by the leader. Model space; id = application. */
export interface LeaseDoc {
  readonly application: string;
  readonly holder: string;
  readonly expiresAt: string;
}

export const lease = defineKind<LeaseDoc>()({
  space: 'model',
  idOf: ({ application }) => application,
  indexes: { holder: (doc) => doc.holder },
  isQuiet: (before, after) => before?.holder === after?.holder,
  upkeep: 'new',
  describe: (before, after, { id }) => {
    if (before?.holder === after?.holder) return [];
    const leaderEvent = (unit: string, what: string): HistoryEvent => ({
      ...ofUnit(unit),
      what,
      about: [unitRef(unit), { kind: 'application', id }],
    });
    return [
      ...(before ? [leaderEvent(before.holder, 'is no longer the leader')] : []),
      ...(after ? [leaderEvent(after.holder, 'became the leader')] : []),
    ];
  },
});
