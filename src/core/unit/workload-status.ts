import type { Pending } from '../application/document.ts';
import type { UnitDoc } from './document.ts';
import type { Refs } from '../impediments.ts';
import { missingStatus } from '../requirements/requirement.ts';
import { initialStatus, statusId, type Status } from '../status.ts';

/**
 * The workload status last set; before that, why the unit has not started. What a unit without a machine waits for is
 * not stored: a requirement that is satisfied writes nothing to its units.
 */
export function workloadStatus(unit: UnitDoc, refs: Pick<Refs, 'get'>): Status {
  return refs.get('status', statusId('workload', unit.name)) ?? beforeStart(unit, refs);
}

/**
 * The reason that keeps a unit from being placed, and since when; undefined when it has a machine or nothing is
 * missing.
 */
export function waitOf(
  { application, unplaced, createdAt }: UnitDoc,
  refs: Pick<Refs, 'get'>,
): Pending | undefined {
  const pending = unplaced && refs.get('application', application)?.pending;
  return pending && { ...pending, since: pending.since > createdAt ? pending.since : createdAt };
}

function beforeStart(unit: UnitDoc, refs: Pick<Refs, 'get'>): Status {
  const { unplaced, createdAt } = unit;
  const wait = waitOf(unit, refs);
  if (wait) return { ...missingStatus(wait.missing), since: wait.since };
  if (unplaced?.problem === undefined) return initialStatus('workload', createdAt);
  return { status: 'blocked', message: `cannot be placed: ${unplaced.problem}`, since: createdAt };
}
