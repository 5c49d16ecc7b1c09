import type { UnitDoc } from '../entities.ts';
import type { Refs } from '../impediments.ts';
import { missingText } from '../requirements/requirement.ts';
import { initialStatus, statusId, type Status } from '../status.ts';

/**
 * A unit's workload status, for whoever reads it: what was set last; before that, why it has not started. What a unit
 * without a machine waits for is not stored: a requirement that is satisfied writes nothing to its units.
 */
export function workloadStatus(unit: UnitDoc, refs: Pick<Refs, 'get'>): Status {
  return refs.get('status', statusId('workload', unit.name)) ?? beforeStart(unit, refs);
}

function beforeStart({ application, unplaced, createdAt }: UnitDoc, refs: Pick<Refs, 'get'>): Status {
  const pending = unplaced && refs.get('application', application)?.pending;
  if (pending) {
    const since = pending.since > createdAt ? pending.since : createdAt;
    return { status: 'waiting', message: missingText(pending.missing), since };
  }
  if (unplaced?.problem === undefined) return initialStatus('workload', createdAt);
  return { status: 'waiting', message: `cannot be placed: ${unplaced.problem}`, since: createdAt };
}
