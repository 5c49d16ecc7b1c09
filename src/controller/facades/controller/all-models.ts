import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { userModel } from '../model-manager/user-model.ts';

export function allModels(call: Call): ResultOf<typeof spec, 'AllModels'> {
  const user = call.caller.kind === 'user' ? call.caller.name : '';
  return {
    'user-models': [...call.read().in('').list('model')].map((model) => userModel(call, model, user)),
  };
}
