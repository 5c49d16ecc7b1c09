import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { modelGet } from '../model-config/model-get.ts';

export function controllerModelConfig(call: Call): ResultOf<typeof spec, 'ModelConfig'> {
  const { config } = modelGet(call);
  return { config: Object.fromEntries(Object.entries(config).map(([key, { value }]) => [key, value])) };
}
