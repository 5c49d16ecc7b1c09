import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { agentStarted } from '../../transactions/agent/agent-started.ts';
import { ownMachine, refuseFormer } from './own-unit.ts';

/** Records the machine as its agent sees it; addresses from the provider come first. */
export async function started(
  call: Call,
  params: MachineAgentMethods['Started']['params'],
): Promise<Record<string, never>> {
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    refuseFormer(call, tx);
    agentStarted(tx, { ...params, machine: ownMachine(call) });
  }, call.by);
  return {};
}
