import type { UnitDoc } from './document.ts';
import type { Refs } from '../impediments.ts';
import { displayUnitStatus, initialStatus, statusId, type Status } from '../status.ts';
import { waitOf, workloadStatus } from './workload-status.ts';

/** The status shown for a unit. `present`: the agent of the unit's machine is connected. */
export function shownStatus(
  unit: UnitDoc,
  refs: Pick<Refs, 'get'>,
  present: boolean,
): { agent: Status; workload: Status } {
  return displayUnitStatus({
    name: unit.name,
    agent: agentStatus(unit, refs),
    workload: workloadStatus(unit, refs),
    // A unit without a machine has no agent that could be lost.
    present: present || unit.unplaced !== undefined,
  });
}

/**
 * The agent status last set; before that, `allocating`. While requirements are missing it is `idle`: nothing happens
 * until the user acts, and scripts wait for that status (python-libjuju's wait_for_idle).
 */
export function agentStatus(unit: UnitDoc, refs: Pick<Refs, 'get'>): Status {
  const set = refs.get('status', statusId('unit-agent', unit.name));
  if (set) return set;
  const wait = waitOf(unit, refs);
  return wait
    ? { status: 'idle', message: '', since: wait.since }
    : initialStatus('unit-agent', unit.createdAt);
}
