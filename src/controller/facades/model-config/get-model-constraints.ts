import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { currentModel } from '../shared/model.ts';

export function getModelConstraints(call: Call): ResultOf<typeof spec, 'GetModelConstraints'> {
  return { constraints: currentModel(call).constraints };
}
