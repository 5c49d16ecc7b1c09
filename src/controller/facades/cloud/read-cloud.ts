import type { z } from 'zod';
import type { CloudDoc } from '../../../core/cloud/document.ts';
import { authTypesOfJuju } from '../../../core/cloud/juju-types.ts';
import { JujuError } from '../../../core/errors.ts';
import { withDefaultBase } from '../../../core/model/default-series.ts';
import type { cloud as spec, cloudDetails } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import { isSecretKey, sealConfig } from '../../secrets.ts';
import { checkModelDefaults } from '../shared/model-defaults.ts';
import { defined } from '../../../core/defined.ts';

type CloudParams = ParamsOf<typeof spec, 'AddCloud'>['cloud'];
type Config = Readonly<Record<string, unknown>>;
type Region = NonNullable<z.input<typeof cloudDetails>['regions']>[number];

/**
 * Reads a cloud for the store: checked by its provider and as defaults of models, secrets sealed. Secrets of `before`
 * that the given cloud does not name stay: they are never shown, so clients cannot give them back. A cloud of a type
 * that only Juju has is kept as it is given (provider-rules.md#clouds-of-other-types). Errors: `not valid`,
 * `not supported` (type).
 */
export function readCloud(call: Call, name: string, params: CloudParams, before?: CloudDoc): CloudDoc {
  const { sealer, providers } = call.services;
  const provider = providers.get(params.type);
  if (!provider) {
    const authTypes = authTypesOfJuju(params.type);
    if (authTypes) return described(name, params, authTypes);
    throw new JujuError(
      'not supported',
      `cloud type "${params.type}" not supported, this controller has: ${[...providers.keys()].sort().join(', ')}`,
    );
  }
  const authTypes = params['auth-types'] ?? Object.keys(provider.authTypes);
  const unknown = authTypes.find((type) => !Object.hasOwn(provider.authTypes, type));
  if (unknown !== undefined)
    throw new JujuError(
      'not valid',
      `auth-type "${unknown}" not supported by cloud type ${params.type}, expected one of ${Object.keys(provider.authTypes).join(', ')}`,
    );
  if (provider.endpoint && !provider.endpoint.optional && !params.endpoint)
    throw new JujuError('not valid', `cloud "${name}" has no endpoint`);
  const seal = (given: Config = {}, old: Config = {}): Config => {
    const stated = withDefaultBase(given);
    const kept = Object.entries(old).filter(
      ([key]) => isSecretKey(provider.config, key) && !Object.hasOwn(stated, key),
    );
    return { ...sealConfig(sealer, provider.config, stated), ...Object.fromEntries(kept) };
  };
  const cloudGiven = described(name, params, authTypes);
  const now = new Map(Object.entries(cloudGiven.regionConfig ?? {}));
  const earlier = new Map(Object.entries(before?.regionConfig ?? {}));
  // Secrets of a region that the cloud no longer has go with it.
  const held = cloudGiven.regions.map((region) => region.name).filter((region) => earlier.has(region));
  const regions = [...new Set([...now.keys(), ...held])]
    .map((region) => [region, seal(now.get(region), earlier.get(region))] as const)
    .filter(([region, config]) => now.has(region) || Object.keys(config).length > 0);
  const cloud: CloudDoc = {
    ...cloudGiven,
    config: seal(params.config, before?.config),
    ...defined({ regionConfig: regions.length > 0 ? Object.fromEntries(regions) : undefined }),
  };
  checkModelDefaults(provider, sealer, cloud);
  return cloud;
}

/** Refuses a changed cloud with other immutable settings than its models have. Errors: `not valid`. */
export function checkKept(call: Call, after: CloudDoc, before: CloudDoc): void {
  const provider = call.services.providers.get(after.type);
  if (provider) checkModelDefaults(provider, call.services.sealer, after, before);
}

/** The cloud as it is given, which nothing has checked. */
function described(name: string, params: CloudParams, authTypes: readonly string[]): CloudDoc {
  const regionConfig = params['region-config'] ?? {};
  return {
    name,
    type: params.type,
    authTypes: params['auth-types'] ?? authTypes,
    endpoint: params.endpoint ?? '',
    ...defined({
      identityEndpoint: params['identity-endpoint'] || undefined,
      storageEndpoint: params['storage-endpoint'] || undefined,
    }),
    // A cloud without regions has one called `default`, as in Juju.
    regions: (params.regions ?? []).length === 0 ? [{ name: 'default' }] : params.regions!.map(readRegion),
    ...defined({
      caCertificates: params['ca-certificates'],
      skipTlsVerify: params['skip-tls-verify'] || undefined,
      hostCloudRegion: params['host-cloud-region'] || undefined,
    }),
    config: params.config ?? {},
    ...(Object.keys(regionConfig).length > 0 && { regionConfig }),
  };
}

function readRegion(region: Region): CloudDoc['regions'][number] {
  return {
    name: region.name,
    ...defined({
      endpoint: region.endpoint || undefined,
      identityEndpoint: region['identity-endpoint'] || undefined,
      storageEndpoint: region['storage-endpoint'] || undefined,
    }),
  };
}
