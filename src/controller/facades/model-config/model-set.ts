import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setModelConfig } from '../../transactions/set-model-config.ts';
import { currentModel } from '../shared/model.ts';
import { builtIn, providerConfig } from '../shared/model-config.ts';

export async function modelSet(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelSet'>,
): Promise<ResultOf<typeof spec, 'ModelSet'>> {
  const model = currentModel(call);
  const args = {
    uuid: model.uuid,
    set: params.config,
    reset: [],
    builtIn: builtIn(call, model),
    provider: providerConfig(call, model),
  };
  await call.store.change((tx) => setModelConfig(tx.in(''), args), call.by);
  return {};
}
