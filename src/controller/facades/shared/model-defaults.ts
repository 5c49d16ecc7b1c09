import type { CloudDoc } from '../../../core/cloud/document.ts';
import { checkModelConfigChange, mergedModelConfig } from '../../../core/model/config.ts';
import { checkHasDefault, inheritedConfig } from '../../../core/model/inherited.ts';
import type { Provider, ProviderConfig } from '../../../providers/contract/provider.ts';
import { openConfig } from '../../secrets.ts';
import type { Sealer } from '../../sealer.ts';
import { checkFirstBoot, modelSchemaOf } from './model-config.ts';
import { checkFirewall } from './provider-settings.ts';

type Defaults = Pick<CloudDoc, 'name' | 'config' | 'regionConfig'>;

/**
 * Refuses a cloud whose configuration no new model could inherit, whoever sets it: bootstrap, add-cloud, update-cloud
 * or model-defaults. `before`: the cloud that has models, of which immutable settings stay. Errors: `not valid`.
 */
export function checkModelDefaults(
  provider: Provider,
  sealer: Sealer,
  after: Defaults,
  before?: Defaults,
): void {
  const schema = modelSchemaOf(provider);
  for (const region of ['', ...Object.keys({ ...after.regionConfig, ...before?.regionConfig })]) {
    const inherited = inheritedConfig(after, region);
    checkHasDefault(Object.keys(inherited));
    checkFirstBoot(inherited);
    checkFirewall(provider, after, inherited);
    const own = (cloud: Defaults): ProviderConfig =>
      ownSettings(provider, openConfig(sealer, provider.config, inheritedConfig(cloud, region)));
    const settings = provider.validate(own(after));
    if (before) provider.validate(settings, { ...defaultsOf(provider), ...own(before) });
    checkModelConfigChange({}, mergedModelConfig(inherited, schema), schema);
  }
}

function ownSettings(provider: Provider, config: ProviderConfig): ProviderConfig {
  return Object.fromEntries(Object.entries(config).filter(([key]) => Object.hasOwn(provider.config, key)));
}

function defaultsOf(provider: Provider): ProviderConfig {
  const entries = Object.entries(provider.config).map(
    ([key, attribute]) => [key, attribute.default] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
