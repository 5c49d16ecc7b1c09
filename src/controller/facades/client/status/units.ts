import type { ApplicationDoc } from '../../../../core/application/document.ts';
import type { UnitDoc } from '../../../../core/unit/document.ts';
import type { UnitStatus } from '../../../../wire/facades/client.ts';
import { leaderOf } from '../../../transactions/agent/leadership.ts';
import { publicAddress } from '../../shared/addresses.ts';
import { openedPorts } from '../../shared/opened-ports.ts';
import { detailed } from './detailed.ts';
import { withEnding } from './ending.ts';
import type { Selection } from './filter.ts';
import type { StatusScope } from './scope.ts';
import { statusSize } from './shortened.ts';
import { defined } from '../../../../core/defined.ts';

/** Statuses of the application's units; subordinates are below their principals. */
export async function unitStatuses(
  scope: StatusScope,
  application: ApplicationDoc,
  selection: Selection | undefined,
): Promise<Record<string, UnitStatus>> {
  const units: Record<string, UnitStatus> = {};
  for (const unit of scope.view.find('unit', 'application', application.name)) {
    if (unit.principal !== undefined || (selection && !selection.units.has(unit.name))) continue;
    units[unit.name] = unitStatus(scope, unit, selection);
    await scope.pause();
  }
  return units;
}

/** Characters of a port range, roughly. */
const portSize = 16;

function unitStatus(scope: StatusScope, unit: UnitDoc, selection: Selection | undefined): UnitStatus {
  const { view } = scope;
  const { agent, workload } = scope.unitStatus(unit);
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  const subordinates: Record<string, UnitStatus> = {};
  for (const subordinate of view.find('unit', 'principal', unit.name))
    if (!selection || selection.units.has(subordinate.name))
      subordinates[subordinate.name] = unitStatus(scope, subordinate, selection);
  const charm = view.get('application', unit.application)?.charmUrl;
  const ports = openedPorts(unit);
  const size = statusSize(agent) + statusSize(workload) + ports.length * portSize;
  return scope.details.of(
    {
      'agent-status': detailed(agent, { version: unit.deployed ? scope.version : '', life: unit.life }),
      'workload-status': detailed(
        unit.life === 'alive' ? workload : withEnding(scope, { kind: 'unit', id: unit.name }, workload),
      ),
      'workload-version': unit.workloadVersion,
      machine: unit.principal === undefined ? (unit.machine ?? '') : '',
      'opened-ports': ports,
      'public-address': publicAddress(machine),
      charm: unit.charmUrl === charm ? '' : unit.charmUrl,
      subordinates,
      ...defined({
        leader: leaderOf(view, unit.application, scope.now) === unit.name || undefined,
        unplaced: unit.unplaced !== undefined || undefined,
      }),
    },
    size,
  );
}
