import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setModelConfig } from '../../transactions/set-model-config.ts';
import { currentModel } from '../shared/model.ts';
import { builtIn, providerConfig } from '../shared/model-config.ts';

export async function modelUnset(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelUnset'>,
): Promise<ResultOf<typeof spec, 'ModelUnset'>> {
  const model = currentModel(call);
  const args = {
    uuid: model.uuid,
    set: {},
    reset: params.keys,
    builtIn: builtIn(call, model),
    provider: providerConfig(call, model),
  };
  await call.store.change((tx) => setModelConfig(tx.in(''), args), call.by);
  return {};
}
