import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addUnits as transaction } from '../../transactions/add-units.ts';
import { changeModel } from '../shared/change-model.ts';
import { containerTypes, readPlacements } from '../shared/placement.ts';

export async function addUnits(
  call: Call,
  params: ParamsOf<typeof spec, 'AddUnits'>,
): Promise<ResultOf<typeof spec, 'AddUnits'>> {
  if (params['attach-storage']?.length)
    throw new JujuError('not supported', 'attaching storage is not supported');
  const placement = readPlacements(call, params.placement);
  const units = await changeModel(call, (tx) =>
    transaction(tx, {
      application: params.application,
      count: params['num-units'],
      placement,
      containerTypes: containerTypes(call),
    }),
  );
  return { units };
}
