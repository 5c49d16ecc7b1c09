import { mergedModelConfig } from '../../../core/model/config.ts';
import { withDefaultSeries } from '../../../core/model/default-series.ts';
import { inheritedConfig, sourceOf } from '../../../core/model/inherited.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { withoutSecrets } from '../../secrets.ts';
import { currentModel } from '../shared/model.ts';
import { builtIn, cloudType, providerConfig } from '../shared/model-config.ts';

/** Keys that Juju does not show here: the ssh-keys commands do. */
const hidden = new Set(['authorized-keys']);

/**
 * Returns each value with its source: the model, its region, the controller, or the built-in defaults. Secrets are left
 * out.
 */
export function modelGet(call: Call): ResultOf<typeof spec, 'ModelGet'> {
  const model = currentModel(call);
  const modelConfig = { ...model.config, ...builtIn(call, model) };
  const schema = call.services.providers.get(cloudType(call, model.cloud))?.config ?? {};
  const { region } = model;
  const cloud = call.read().in('').get('cloud', model.cloud) ?? { config: {} };
  // Only the provider's keys are inherited: they apply to all models of the cloud; a model copied all others at its
  // creation.
  const ofProvider = Object.entries(inheritedConfig(cloud, region)).filter(([key]) =>
    Object.hasOwn(schema, key),
  );
  const merged = mergedModelConfig(
    { ...Object.fromEntries(ofProvider), ...modelConfig },
    providerConfig(call, model),
  );
  return {
    config: withDefaultSeries(
      Object.fromEntries(
        Object.entries(withoutSecrets(schema, merged))
          .filter(([key]) => !hidden.has(key))
          .map(([key, value]) => [
            key,
            { value, source: sourceOf(key, value, { own: modelConfig, cloud, region }) },
          ]),
      ),
    ),
  };
}
