import type { ApplicationDoc, Entities, UnitDoc } from '../../../../core/entities.ts';
import type { Status } from '../../../../core/status.ts';
import { workloadStatus } from '../../../../core/unit/workload-status.ts';
import type { Call } from '../../../facade.ts';

/** Commits that are looked at: nobody's application changes as often before a unit of it starts. */
const most = 500;

/**
 * What a unit's workload was before anybody set it, newest first. Nobody wrote that: what it waited for is in the past
 * of the unit and of its application.
 */
export function beforeStart(call: Call, { name, application: its, createdAt }: UnitDoc): Status[] {
  const view = call.read();
  const space = call.modelUuid;
  const documents = [
    { space, kind: 'unit', id: name },
    { space, kind: 'application', id: its },
  ];
  let unit = view.get('unit', name);
  let application = view.get('application', its);
  const statuses: Status[] = [];
  let lookedAt = 0;
  for (const { at, changes } of call.store.past({ documents })) {
    if (!unit || lookedAt++ === most) break;
    const status = { ...workloadThen(unit, application), since: at };
    // The same since earlier.
    if (statuses.at(-1)?.message === status.message) statuses.pop();
    statuses.push(status);
    for (const { kind, before } of changes(documents.length)) {
      if (kind === 'unit') unit = before as UnitDoc | undefined;
      else application = before as ApplicationDoc | undefined;
    }
  }
  const oldest = statuses.pop();
  return oldest ? [...statuses, { ...oldest, since: createdAt }] : [];
}

function workloadThen(unit: UnitDoc, application: ApplicationDoc | undefined): Status {
  return workloadStatus(unit, {
    get: <P extends keyof Entities>(kind: P) =>
      kind === 'application' ? (application as Entities[P] | undefined) : undefined,
  });
}
