import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeModelConfig } from '../shared/change-model-config.ts';

export function modelUnset(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelUnset'>,
): Promise<ResultOf<typeof spec, 'ModelUnset'>> {
  return changeModelConfig(call, { set: {}, reset: params.keys });
}
