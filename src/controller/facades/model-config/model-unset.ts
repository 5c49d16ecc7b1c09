import { JujuError } from '../../../core/errors.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeModelConfig } from '../shared/change-model-config.ts';

/** Resets settings. Errors: '' for keys that log in (logging-in.md#model-keys). */
export async function modelUnset(
  call: Call,
  { keys }: ParamsOf<typeof spec, 'ModelUnset'>,
): Promise<ResultOf<typeof spec, 'ModelUnset'>> {
  if (keys.includes('authorized-keys')) throw new JujuError('', 'cannot clear authorized-keys');
  return changeModelConfig(call, { set: {}, reset: keys });
}
