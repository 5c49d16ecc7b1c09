import type { ApplicationDoc } from '../application/document.ts';
import type { Refs } from '../impediments.ts';
import { charmOfUnits, type UnitDoc } from '../unit/document.ts';
import { agentStatus, shownStatus } from '../unit/shown-status.ts';
import type { BatchUnit, RolloutSnapshot } from './plan-rollout.ts';
import type { Rollout } from './rollout.ts';

/**
 * What planRollout is asked about. `present`: whether the agent of a machine is connected. The units of the batch, and the rest only as far as it is read.
 */
export function rolloutSnapshot(
  refs: Refs,
  application: ApplicationDoc & { readonly rollout: Rollout },
  present: (machine: string) => boolean,
): RolloutSnapshot {
  const { name, charmUrl, rollout, forceCharm = false, older = {} } = application;
  return {
    rollout,
    charmUrl,
    forceCharm,
    leader: refs.get('lease', name)?.holder ?? '',
    units: refs.count('unit', 'application', name),
    batch: [...refs.find('unit', 'batch', name)]
      .filter(({ life }) => life === 'alive')
      .map((unit) => batchUnit(unit, refs, present)),
    held: function* () {
      for (const url of Object.keys(older))
        for (const unit of refs.find('unit', 'charm', charmOfUnits(name, url)))
          if (unit.life === 'alive' && unit.machine !== undefined && unit.released !== charmUrl)
            yield unit.name;
    },
  };
}

/** A unit as the rules of roll-outs see it. */
export function batchUnit(unit: UnitDoc, refs: Refs, present: (machine: string) => boolean): BatchUnit {
  const { name, machine = '', charmUrl, life } = unit;
  const reported = agentStatus(unit, refs);
  const { agent, workload } = shownStatus(unit, refs, present(machine));
  const hook = reported.data?.['hook'];
  return {
    name,
    charmUrl,
    attributes: {
      name,
      machine,
      life,
      status: agent.status,
      'agent-status': agent.status,
      'workload-status': workload.status,
      'workload-message': workload.message,
      unplaced: 'false',
    },
    ...(reported.status === 'error' && {
      error: {
        message: reported.message,
        since: reported.since,
        ...(typeof hook === 'string' && { hook }),
      },
    }),
  };
}
