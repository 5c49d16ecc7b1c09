import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeModelConfig } from '../shared/change-model-config.ts';

export function modelSet(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelSet'>,
): Promise<ResultOf<typeof spec, 'ModelSet'>> {
  return changeModelConfig(call, { set: params.config, reset: [] });
}
