import type { ApplicationDoc } from '../../../../core/application/document.ts';
import type { Entities } from '../../../../core/kinds.ts';
import type { UnitDoc } from '../../../../core/unit/document.ts';
import type { Refs } from '../../../../core/impediments.ts';
import type { Status } from '../../../../core/status.ts';
import { agentStatus } from '../../../../core/unit/shown-status.ts';
import { workloadStatus } from '../../../../core/unit/workload-status.ts';
import type { Call } from '../../../facade.ts';

/** Maximum number of commits that are looked at: no application changes as often before a unit of it starts. */
const commitsMax = 500;

/**
 * Statuses of a unit's workload, or its agent, before one was set, newest first. They were not written: what the unit
 * waited for is derived from the history of the unit and of its application.
 */
export function beforeStart(
  call: Call,
  kind: 'unit-agent' | 'workload',
  { name, application: applicationName, createdAt }: UnitDoc,
): Status[] {
  const statusIn = kind === 'workload' ? workloadStatus : agentStatus;
  const view = call.read();
  const space = call.modelUuid;
  const documents = [
    { space, kind: 'unit', id: name },
    { space, kind: 'application', id: applicationName },
  ];
  let unit = view.get('unit', name);
  let application = view.get('application', applicationName);
  const statuses: Status[] = [];
  let lookedAt = 0;
  for (const { at, changes } of call.store.past({ documents })) {
    if (!unit || lookedAt++ === commitsMax) break;
    const status = { ...statusIn(unit, applicationOnly(application)), since: at };
    const later = statuses.at(-1);
    // The status is unchanged: it has held since then.
    if (later?.status === status.status && later.message === status.message) statuses.pop();
    statuses.push(status);
    for (const { kind, before } of changes(documents.length)) {
      if (kind === 'unit') unit = before;
      if (kind === 'application') application = before;
    }
  }
  const oldest = statuses.pop();
  return oldest ? [...statuses, { ...oldest, since: createdAt }] : [];
}

/** View without any status: of that time, only the absence of any set status is known. */
function applicationOnly(application: ApplicationDoc | undefined): Pick<Refs, 'get'> {
  return {
    get: <P extends keyof Entities>(kind: P) =>
      kind === 'application' ? (application as Entities[P] | undefined) : undefined,
  };
}
