import type { UnitDoc } from '../../../core/unit/document.ts';
import { workloadStatus } from '../../../core/unit/workload-status.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { statusOf, type View } from '../../transactions/tx.ts';
import { ownUnit } from './own-unit.ts';

type Goal = { status: string; since: string };

/**
 * Returns the workload statuses of the units of the unit's own application and of related ones
 * (hook-tools.md#goal-state).
 */
export function goalState(call: Call, params: { unit: string }): MachineAgentMethods['GoalState']['result'] {
  const view = call.read();
  const unit = ownUnit(call, view, params.unit);
  const relations: Record<string, Record<string, Goal>> = {};
  for (const relation of view.find('relation', 'application', unit.application)) {
    if (relation.endpoints.length === 1) continue;
    const local = relation.endpoints.find((endpoint) => endpoint.application === unit.application);
    const remote = relation.endpoints.find((endpoint) => endpoint.application !== unit.application);
    if (!local || !remote) continue;
    const goals = (relations[local.name] ??= {});
    const { status, since } = statusOf(view, 'relation', String(relation.id), relation.createdAt);
    goals[remote.application] = { status, since };
    Object.assign(goals, unitGoals(view, remote.application, unit));
  }
  return { units: unitGoals(view, unit.application, unit), relations };
}

function unitGoals(view: View, application: string, requester: UnitDoc): Record<string, Goal> {
  const goals: Record<string, Goal> = {};
  for (const unit of view.find('unit', 'application', application)) {
    if (unit.life === 'dead') continue;
    if (unit.principal !== undefined && unit.principal !== requester.name && unit.name !== requester.name)
      continue;
    const { status, since } = workloadStatus(unit, view);
    goals[unit.name] = { status: unit.life === 'dying' ? 'dying' : status, since };
  }
  return goals;
}
