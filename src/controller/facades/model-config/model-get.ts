import { mergedModelConfig } from '../../../core/model/config.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { currentModel } from '../shared/model.ts';
import { builtIn, providerConfig } from '../shared/model-config.ts';

/** Each value with where it comes from: the model, or the defaults. */
export function modelGet(call: Call): ResultOf<typeof spec, 'ModelGet'> {
  const model = currentModel(call);
  const own = { ...model.config, ...builtIn(call, model) };
  const merged = mergedModelConfig(own, providerConfig(call, model));
  return {
    config: Object.fromEntries(
      Object.entries(merged).map(([key, value]) => [
        key,
        { value, source: Object.hasOwn(own, key) ? 'model' : 'default' },
      ]),
    ),
  };
}
