import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setControllerConfig } from '../../transactions/set/set-controller-config.ts';

export async function configSet(
  call: Call,
  { config }: ParamsOf<typeof spec, 'ConfigSet'>,
): Promise<ResultOf<typeof spec, 'ConfigSet'>> {
  await call.store.change((tx) => setControllerConfig(tx.in(''), config), call.by);
  return {};
}
