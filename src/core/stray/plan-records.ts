import type { HarvestPlan } from '../machine/plan-harvest.ts';
import type { StrayDoc } from './document.ts';

interface StrayRecords {
  /** Records of new strays, and of known strays about which something else is to be said. */
  readonly found: readonly StrayDoc[];
  /** Ids of recorded instances that are strays no longer. */
  readonly gone: readonly string[];
}

/**
 * Changes that the records of strays need after a look at the cloud; `known` are the records, `sinceOf` tells when a
 * stray was first seen.
 */
export function planStrayRecords(
  { strays, stops }: Pick<HarvestPlan, 'stops' | 'strays'>,
  known: ReadonlyMap<string, StrayDoc>,
  sinceOf: (instanceId: string) => string,
): StrayRecords {
  const stopped = new Set(stops.map(({ id }) => id));
  const wanted = strays.map(({ id, machineId }): StrayDoc => {
    const stray = { instanceId: id, machine: machineId, since: sinceOf(id) };
    return stopped.has(id) ? { ...stray, stopping: true } : stray;
  });
  const ids = new Set(wanted.map(({ instanceId }) => instanceId));
  return {
    found: wanted.filter((stray) => !isSame(known.get(stray.instanceId), stray)),
    gone: [...known.keys()].filter((id) => !ids.has(id)),
  };
}

function isSame(a: StrayDoc | undefined, b: StrayDoc): boolean {
  return a !== undefined && a.machine === b.machine && a.since === b.since && a.stopping === b.stopping;
}
