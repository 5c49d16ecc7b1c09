import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyController as transaction } from '../../transactions/end/destroy-controller.ts';
import { warned } from '../shared/destroyed.ts';
import { forceRequest, storageEnd } from '../shared/force.ts';
import { refuseRelease } from '../shared/storage.ts';

export async function destroyController(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyController'>,
): Promise<ResultOf<typeof spec, 'DestroyController'>> {
  const wait = params['max-wait'] ?? params['model-timeout'];
  const force = forceRequest(call, { force: params.force, 'max-wait': wait });
  const ends = storageEnd(params['destroy-storage']);
  if (params['destroy-models'] && ends.storageEnd === 'release')
    for (const { uuid } of call.read().in('').list('model')) refuseRelease(call, uuid);
  const args = { destroyModels: params['destroy-models'], ...force, ...ends };
  return warned(await call.store.change((tx) => transaction(tx.in(''), args), call.by));
}
