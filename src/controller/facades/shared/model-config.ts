import type { ModelDoc } from '../../../core/model/document.ts';
import type { ConfigSchema, ModelSettings } from '../../../core/model/config-schema.ts';
import { modelVersion } from '../../../core/model/upgrade.ts';
import { mergedModelConfig, type ModelConfig } from '../../../core/model/config.ts';
import { inheritedConfig } from '../../../core/model/inherited.ts';
import type { Attribute, Provider } from '../../../providers/contract/provider.ts';
import { parseCloudinitUserdata } from '../../../providers/toolkit/user-data/index.ts';
import type { Call } from '../../facade.ts';
import { defined } from '../../../core/defined.ts';

/** Keys of a model's configuration that describe the model itself; they cannot be set. */
export function builtIn(
  call: Call,
  model: ModelDoc,
): Record<'name' | 'uuid' | 'type' | 'agent-version', string> {
  return {
    name: model.name,
    uuid: model.uuid,
    type: cloudType(call, model.cloud),
    'agent-version': modelVersion(model, call.services.version),
  };
}

export function cloudType(call: Call, cloud: string): string {
  return call.read().in('').get('cloud', cloud)?.type ?? '';
}

/** Values in force in the model: its own, else those of its cloud for the provider's keys, else the defaults. */
export function configInForce(call: Call, model: ModelDoc): ModelConfig & ModelSettings {
  const schema = call.services.providers.get(cloudType(call, model.cloud))?.config ?? {};
  const cloud = call.read().in('').get('cloud', model.cloud) ?? { config: {} };
  // Only the provider's keys are inherited: they apply to all models of the cloud; a model copied all others at its
  // creation.
  const ofProvider = Object.entries(inheritedConfig(cloud, model.region)).filter(([key]) =>
    Object.hasOwn(schema, key),
  );
  return mergedModelConfig(
    { ...Object.fromEntries(ofProvider), ...model.config },
    providerConfig(call, model),
  );
}

/** Keys that the model's cloud adds to those of all models. Secret ones never belong to a model. */
export function providerConfig(call: Call, { cloud }: { readonly cloud: string }): ConfigSchema {
  const provider = call.services.providers.get(cloudType(call, cloud));
  return provider ? modelSchemaOf(provider) : {};
}

/** Keys that models on the provider's clouds have besides those of all models. */
export function modelSchemaOf(provider: Pick<Provider, 'config'>): ConfigSchema {
  return Object.fromEntries(
    Object.entries(provider.config).flatMap(([key, attribute]) =>
      attribute.secret ? [] : [[key, settingOf(attribute)]],
    ),
  );
}

/** Refuses settings that would fail at each machine's first boot. Errors: `not valid`. */
export function checkFirstBoot(config: Readonly<Record<string, unknown>>): void {
  const text = config['cloudinit-userdata'];
  if (typeof text === 'string') parseCloudinitUserdata(text);
}

function settingOf({
  type,
  description,
  default: initial,
  immutable,
  values,
}: Attribute): ConfigSchema[string] {
  return {
    type,
    description,
    ...defined({ default: initial, immutable: immutable || undefined, values }),
  };
}
