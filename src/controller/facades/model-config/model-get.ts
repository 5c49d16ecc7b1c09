import { withDefaultSeries } from '../../../core/model/default-series.ts';
import { sourceOf } from '../../../core/model/inherited.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { withoutSecrets } from '../../secrets.ts';
import { currentModel } from '../shared/model.ts';
import { builtIn, cloudType, configInForce } from '../shared/model-config.ts';

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
  const merged = configInForce(call, { ...model, config: modelConfig });
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
