import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addUnits as transaction } from '../../transactions/add-units.ts';
import { mustGet } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { reusedBy, unitRules } from '../shared/new-units.ts';
import { readPlacements } from '../shared/placement.ts';
import { precheckMachines } from '../shared/precheck.ts';
import { requirementsChange } from '../shared/requirements-change.ts';

export async function addUnits(
  call: Call,
  params: ParamsOf<typeof spec, 'AddUnits'>,
): Promise<ResultOf<typeof spec, 'AddUnits'>> {
  if (params['attach-storage']?.length)
    throw new JujuError('not supported', 'attaching storage is not supported');
  const placement = readPlacements(call, params.placement);
  const { base, constraints } = mustGet(call.read(), 'application', params.application);
  await precheckMachines(call, { base, constraints, placement, count: params['num-units'] });
  const { units, told } = await changeModel(call, (tx) => ({
    units: transaction(tx, {
      application: params.application,
      count: params['num-units'],
      placement,
      ...unitRules(call, params['reuse-machines']),
    }),
    told: requirementsChange(tx, [params.application]),
  }));
  return { units: units.map(({ unit }) => unit), ...reusedBy(units), ...told };
}
