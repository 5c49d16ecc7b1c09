import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { statusOf } from '../../transactions/tx.ts';
import { unitDeployed as markDeployed } from '../../transactions/agent/unit-agent.ts';
import { changeUnit } from './change-unit.ts';

/** Records the deployment and returns what the unit's agent saved before it was last stopped. Errors: 'dead'. */
export async function unitDeployed(
  call: Call,
  params: { unit: string },
): Promise<MachineAgentMethods['UnitDeployed']['result']> {
  return changeUnit(call, params.unit, (tx, unit) => {
    markDeployed(tx, unit.name);
    const state = tx.get('unit-state', unit.name);
    const { status, message, data } = statusOf(tx, 'workload', unit.name, unit.createdAt);
    return {
      agentState: state?.agent ?? null,
      charmState: { ...state?.charm },
      workload: { status, message, data: { ...data } },
    };
  });
}
