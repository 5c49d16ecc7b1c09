import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { workloadStatus } from '../../../core/unit/workload-status.ts';
import { leaderOf } from '../../transactions/agent/leadership.ts';
import { mustGet } from '../../transactions/tx.ts';
import { parseTag, unitTag } from '../../../wire/tags.ts';
import { publicAddress } from '../shared/addresses.ts';
import { bulk } from '../shared/bulk.ts';
import { now } from '../shared/now.ts';
import { pauseOf } from '../shared/pause.ts';
import { openedPorts } from '../shared/opened-ports.ts';
import { relationData } from './relation-data.ts';
import { defined } from '../../../core/defined.ts';

type Result = ResultOf<typeof spec, 'UnitsInfo'>;
type UnitInfo = NonNullable<Result['results'][number]['result']>;

/** Describes units; an application's tag stands for all of its units. */
export async function unitsInfo(call: Call, params: ParamsOf<typeof spec, 'UnitsInfo'>): Promise<Result> {
  const view = call.read();
  const pause = pauseOf(call);
  let databags = 0;
  const results = await bulk(call, params.entities, async ({ tag }) => {
    const { kind, id } = parseTag(tag);
    const units = kind === 'application' ? unitsOf(call, id) : [mustGet(view, 'unit', id)];
    const infos: { result: UnitInfo }[] = [];
    for (const unit of units) {
      // The number of databags is limited: each unit has the settings of all others, which is quadratic.
      checkLimit(limits.databagsOfAnswer, databags);
      const result = unitInfo(call, unit);
      for (const relation of result['relation-data'] ?? [])
        databags += Object.keys(relation['unit-relation-data']).length;
      infos.push({ result });
      await pause();
    }
    return infos;
  });
  return { results: results.flat() };
}

function unitsOf(call: Call, application: string): UnitDoc[] {
  mustGet(call.read(), 'application', application);
  return [...call.read().find('unit', 'application', application)];
}

function unitInfo(call: Call, unit: UnitDoc): UnitInfo {
  const view = call.read();
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  const address = publicAddress(machine);
  return {
    tag: unitTag(unit.name),
    'workload-version': unit.workloadVersion,
    ...defined({ machine: unit.machine }),
    'opened-ports': openedPorts(unit),
    ...defined({ 'public-address': address || undefined }),
    charm: unit.charmUrl,
    leader: leaderOf(view, unit.application, now(call)) === unit.name,
    life: unit.life,
    'relation-data': relationData(view, unit),
    ...defined({ waiting: unit.unplaced ? workloadStatus(unit, view).message : undefined }),
  };
}
