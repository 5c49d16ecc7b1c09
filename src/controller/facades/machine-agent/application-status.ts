import { deriveApplicationStatus, type Status } from '../../../core/status.ts';
import { workloadStatus } from '../../../core/unit/workload-status.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { assertLeader } from '../../transactions/agent/leadership.ts';
import { mustGet, statusOf } from '../../transactions/tx.ts';
import { ownUnit } from './own-unit.ts';

/** Returns the statuses for status-get --application. Errors: `not leader`. */
export async function applicationStatus(
  call: Call,
  params: { unit: string },
): Promise<MachineAgentMethods['ApplicationStatus']['result']> {
  return call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    const unit = ownUnit(call, tx, params.unit);
    assertLeader(tx, unit, 'cannot get application status');
    const application = mustGet(tx, 'application', unit.application);
    const units: Record<string, Status> = {};
    for (const member of tx.find('unit', 'application', application.name))
      units[member.name] = workloadStatus(member, tx);
    const ownStatus = statusOf(tx, 'application', application.name, application.createdAt);
    return {
      application: wire(deriveApplicationStatus(ownStatus, Object.values(units))),
      units: Object.fromEntries(Object.entries(units).map(([name, status]) => [name, wire(status)])),
    };
  }, call.by);
}

function wire(status: Status): { status: string; message: string; data: Record<string, unknown> } {
  return { status: status.status, message: status.message, data: { ...status.data } };
}
