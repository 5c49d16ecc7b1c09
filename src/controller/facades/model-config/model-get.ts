import { mergedModelConfig } from '../../../core/model/config.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { withoutSecrets } from '../../secrets.ts';
import { currentModel } from '../shared/model.ts';
import { builtIn, cloudType, providerConfig } from '../shared/model-config.ts';

/** Juju keeps them to itself: the ssh-keys commands show them. */
const hidden = new Set(['authorized-keys']);

/** Each value with where it comes from: the model, or the defaults. What is secret is nobody's to see. */
export function modelGet(call: Call): ResultOf<typeof spec, 'ModelGet'> {
  const model = currentModel(call);
  const own = { ...model.config, ...builtIn(call, model) };
  const merged = mergedModelConfig(own, providerConfig(call, model));
  const schema = call.services.providers.get(cloudType(call, model.cloud))?.config ?? {};
  return {
    config: Object.fromEntries(
      Object.entries(withoutSecrets(schema, merged))
        .filter(([key]) => !hidden.has(key))
        .map(([key, value]) => [key, { value, source: Object.hasOwn(own, key) ? 'model' : 'default' }]),
    ),
  };
}
