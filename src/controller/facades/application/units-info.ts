import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { UnitDoc } from '../../../core/entities.ts';
import { workloadStatus } from '../../../core/unit/workload-status.ts';
import { leaderOf } from '../../transactions/leadership.ts';
import { mustGet } from '../../transactions/tx.ts';
import { parseTag, unitTag } from '../../../wire/tags.ts';
import { publicAddress } from '../shared/addresses.ts';
import { bulk } from '../shared/bulk.ts';
import { now } from '../shared/now.ts';
import { openedPorts } from '../shared/opened-ports.ts';
import { relationData } from './relation-data.ts';

type Result = ResultOf<typeof spec, 'UnitsInfo'>;

/** An application's tag stands for all of its units. */
export async function unitsInfo(call: Call, params: ParamsOf<typeof spec, 'UnitsInfo'>): Promise<Result> {
  const view = call.read();
  const results = await bulk(call, params.entities, ({ tag }) => {
    const { kind, id } = parseTag(tag);
    const units = kind === 'application' ? unitsOf(call, id) : [mustGet(view, 'unit', id)];
    return units.map((unit) => ({ result: unitInfo(call, unit) }));
  });
  return { results: results.flat() };
}

function unitsOf(call: Call, application: string): UnitDoc[] {
  mustGet(call.read(), 'application', application);
  return [...call.read().find('unit', 'application', application)];
}

function unitInfo(call: Call, unit: UnitDoc): NonNullable<Result['results'][number]['result']> {
  const view = call.read();
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  const address = publicAddress(machine);
  return {
    tag: unitTag(unit.name),
    'workload-version': unit.workloadVersion,
    ...(unit.machine === undefined ? {} : { machine: unit.machine }),
    'opened-ports': openedPorts(unit),
    ...(address === '' ? {} : { 'public-address': address }),
    charm: unit.charmUrl,
    leader: leaderOf(view, unit.application, now(call)) === unit.name,
    life: unit.life,
    'relation-data': relationData(view, unit),
    ...(unit.unplaced ? { waiting: workloadStatus(unit, view).message } : {}),
  };
}
