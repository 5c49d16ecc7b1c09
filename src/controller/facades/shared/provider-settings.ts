/**
 * Settings of a model as its provider sees them: merged over those of its cloud, secrets in clear, upgraded, restricted
 * ones shared by all models.
 */
import { isDeepStrictEqual } from 'node:util';
import type { CloudDoc } from '../../../core/cloud/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { inheritedConfig } from '../../../core/model/inherited.ts';
import { checkSshAllow } from '../../../core/network/ssh-allow.ts';
import type { Provider, ProviderConfig } from '../../../providers/contract/provider.ts';
import type { Call } from '../../facade.ts';
import { openConfig, sealConfig } from '../../secrets.ts';

interface ProviderSettings {
  /** Effective configuration for a model with this configuration of its own, as the provider takes it. */
  whole(modelConfig: ProviderConfig): ProviderConfig;
  /**
   * Configuration to store as the model's own after the provider has made `effective` of `modelConfig`: present values
   * of the keys that the model had, and added ones. Values from the cloud, or defaults, stay out. Secrets are sealed;
   * values of `modelConfig` that are sealed and unchanged stay as they are.
   */
  kept(modelConfig: ProviderConfig, effective: ProviderConfig): ProviderConfig;
  /** Refuses restricted settings that differ from the controller's. Errors: `not valid`. */
  checkRestricted(modelConfig: ProviderConfig): void;
  /** Restricted settings of the controller's own model, for a new one. */
  restricted(): ProviderConfig;
}

export function providerSettings(
  call: Call,
  provider: Provider,
  cloud: CloudDoc,
  region: string,
): ProviderSettings {
  const { sealer } = call.services;
  const schema = provider.config;
  const ofCloud = openConfig(sealer, schema, inheritedConfig(cloud, region));
  const providers = (config: ProviderConfig): ProviderConfig =>
    Object.fromEntries(Object.entries(config).filter(([key]) => Object.hasOwn(schema, key)));
  const restrictedKeys = Object.keys(schema).filter((key) => schema[key]!.restricted);

  const ofController = (): ProviderConfig => {
    const root = call.read().in('');
    const model = root.get('model', root.get('controller', 'self')?.modelUuid ?? '');
    return model?.cloud === cloud.name ? providers(model.config) : {};
  };
  const settings: ProviderSettings = {
    whole: (modelConfig) => ({ ...ofCloud, ...openConfig(sealer, schema, providers(modelConfig)) }),
    kept(modelConfig, effective) {
      const inherited = provider.validate(ofCloud);
      const before = openConfig(sealer, schema, modelConfig);
      const entries = Object.entries(effective).filter(
        ([key, value]) => Object.hasOwn(modelConfig, key) || !isDeepStrictEqual(value, inherited[key]),
      );
      const changed = entries.filter(([key, value]) => !isDeepStrictEqual(value, before[key]));
      const unchanged = Object.entries(modelConfig).filter(
        ([key]) => Object.hasOwn(effective, key) && isDeepStrictEqual(effective[key], before[key]),
      );
      return {
        ...Object.fromEntries(unchanged),
        ...sealConfig(sealer, schema, Object.fromEntries(changed)),
      };
    },
    checkRestricted(modelConfig) {
      const givenKeys = restrictedKeys.filter((key) => Object.hasOwn(modelConfig, key));
      if (givenKeys.length === 0) return;
      const valueOf = (config: ProviderConfig, key: string): unknown => config[key] ?? schema[key]!.default;
      const expected = provider.validate(settings.whole(ofController()));
      const requested = provider.validate(settings.whole({ ...ofController(), ...modelConfig }));
      for (const key of givenKeys) {
        const value = valueOf(expected, key);
        if (isDeepStrictEqual(valueOf(requested, key), value)) continue;
        const hint = schema[key]!.secret ? '' : ` (here ${JSON.stringify(value ?? '')})`;
        throw new JujuError(
          'not valid',
          `${key} is the same in all models of a controller${hint}: set it at bootstrap or in the configuration of the cloud`,
        );
      }
    },
    restricted: () =>
      Object.fromEntries(Object.entries(ofController()).filter(([key]) => restrictedKeys.includes(key))),
  };
  return settings;
}

/**
 * Refuses a firewall mode that the provider does not support, and a limit of SSH where there is no firewall. Errors:
 * `not valid`.
 */
export function checkFirewall(
  provider: Provider,
  cloud: Pick<CloudDoc, 'name'>,
  { 'firewall-mode': mode, 'ssh-allow': sshAllow }: ProviderConfig,
): void {
  const modes: readonly unknown[] = provider.firewallModes;
  checkSshAllow(sshAllow, mode === undefined ? modes.some((one) => one !== 'none') : mode !== 'none');
  if (mode === undefined || modes.includes(mode)) return;
  throw new JujuError(
    'not valid',
    `firewall-mode ${JSON.stringify(mode)} is not supported by cloud "${cloud.name}" (type ${provider.type}), it has: ${modes.join(', ')}`,
  );
}
