import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { reportMachineStatus, reportUnitStatus } from '../../transactions/agent/report-status.ts';
import { ownMachine, ownUnit } from './own-unit.ts';

/** Statuses that an agent may set, by kind (status.md#who-may-set). */
const allowed: Record<MachineAgentMethods['SetStatus']['params']['kind'], readonly string[]> = {
  'unit-agent': ['allocating', 'executing', 'idle', 'error', 'failed', 'rebooting'],
  workload: ['maintenance', 'blocked', 'waiting', 'active', 'unknown', 'terminated'],
  application: ['maintenance', 'blocked', 'waiting', 'active'],
  'machine-agent': ['started', 'stopped', 'error'],
};

/**
 * Sets a status. Errors: `not valid` for a status that cannot be set; `not leader` for the application's by another
 * unit.
 */
export async function setStatus(
  call: Call,
  params: MachineAgentMethods['SetStatus']['params'],
): Promise<Record<string, never>> {
  const { kind, status, message, data } = params;
  if (!allowed[kind].includes(status))
    throw new JujuError('not valid', `cannot set invalid status "${status}"`);
  if (status === 'error' && message === '')
    throw new JujuError('not valid', 'cannot set status "error" without info');
  checkLimit(limits.statusMessage, message.length, `status message of ${kind} ${params.unit}`);
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    if (kind === 'machine-agent')
      reportMachineStatus(tx, { machine: ownMachine(call), status, message, data });
    else reportUnitStatus(tx, { unit: ownUnit(call, tx, params.unit).name, kind, status, message, data });
  }, call.by);
  return {};
}
