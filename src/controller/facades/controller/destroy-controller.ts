import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { forceRequest } from '../shared/force.ts';
import { destroyController as transaction } from '../../transactions/destroy-controller.ts';

export async function destroyController(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyController'>,
): Promise<ResultOf<typeof spec, 'DestroyController'>> {
  const args = { destroyModels: params['destroy-models'], ...forceRequest(call, params) };
  await call.store.change((tx) => transaction(tx.in(''), args), call.by);
  return {};
}
