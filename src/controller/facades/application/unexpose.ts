import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { unexpose as transaction } from '../../transactions/set/unexpose.ts';
import { changeModel } from '../shared/change-model.ts';

export async function unexpose(
  call: Call,
  params: ParamsOf<typeof spec, 'Unexpose'>,
): Promise<ResultOf<typeof spec, 'Unexpose'>> {
  const { application, 'exposed-endpoints': endpoints } = params;
  await changeModel(call, (tx) => transaction(tx, { application, endpoints }));
  return {};
}
