import type { UnitDoc } from './document.ts';
import type { Refs } from '../impediments.ts';
import { displayUnitStatus, initialStatus, statusId, type Status } from '../status.ts';
import { waitOf, workloadStatus } from './workload-status.ts';

/** What is shown for a unit, to whoever asks. `present`: its machine's agent has a connection. */
export function shownStatus(
  unit: UnitDoc,
  refs: Pick<Refs, 'get'>,
  present: boolean,
): { agent: Status; workload: Status } {
  return displayUnitStatus({
    name: unit.name,
    agent: agentStatus(unit, refs),
    workload: workloadStatus(unit, refs),
    // Where there is no machine, no agent is lost.
    present: present || unit.unplaced !== undefined,
  });
}

/**
 * What was set last; before that, it is being allocated. While requirements are missing it is idle: nothing goes on, and
 * nothing will until somebody acts. That is what scripts wait for (python-libjuju's wait_for_idle).
 */
export function agentStatus(unit: UnitDoc, refs: Pick<Refs, 'get'>): Status {
  const set = refs.get('status', statusId('unit-agent', unit.name));
  if (set) return set;
  const wait = waitOf(unit, refs);
  return wait
    ? { status: 'idle', message: '', since: wait.since }
    : initialStatus('unit-agent', unit.createdAt);
}
