/** The health of a unit, by which roll-outs and gates go on (refresh.md#rolling, required-endpoints.md#gate-health). */
import type { Refs } from '../impediments.ts';
import type { UnitDoc } from '../unit/document.ts';
import { agentStatus, shownStatus } from '../unit/shown-status.ts';
import type { UnitAttributes } from './rollout.ts';

export interface UnitHealth {
  /** Attributes that a condition is about: those that `wait-for unit` knows. */
  readonly attributes: UnitAttributes;
  /** Set while the unit's agent reports an error. */
  readonly error?: { readonly message: string; readonly since: string };
}

/** The health of a unit. `present`: whether the agent of a machine is connected. */
export function healthOfUnit(
  unit: UnitDoc,
  refs: Pick<Refs, 'get'>,
  present: (machine: string) => boolean,
): UnitHealth {
  const { name, machine = '', life } = unit;
  const reported = agentStatus(unit, refs);
  const { agent, workload } = shownStatus(unit, refs, present(machine));
  return {
    attributes: {
      name,
      machine,
      life,
      status: agent.status,
      'agent-status': agent.status,
      'workload-status': workload.status,
      'workload-message': workload.message,
      unplaced: unit.unplaced !== undefined,
    },
    ...(reported.status === 'error' && { error: { message: reported.message, since: reported.since } }),
  };
}

/** Why the unit is not healthy, as a phrase about it; undefined = it is. `isMet`: the test of the condition. */
export function whyUnhealthy(
  { attributes, error }: UnitHealth,
  condition: string,
  isMet: (unit: UnitAttributes) => boolean,
): string | undefined {
  if (error) return `is in error: ${error.message}`;
  const message = attributes['workload-message'];
  const status = `is ${attributes['workload-status']}${message ? ` (${message})` : ''}`;
  if (attributes.unplaced) return status;
  const agent = attributes['agent-status'];
  if (agent !== 'idle') return `has an agent that is ${agent}`;
  if (isMet(attributes)) return undefined;
  return condition === 'active' ? status : `${status}, and ${condition} is not met`;
}
