import type { z } from 'zod';
import type { CloudDoc } from '../../../core/cloud/document.ts';
import type { cloudDetails } from '../../../wire/facades/cloud.ts';
import type { Call } from '../../facade.ts';
import { withoutSecrets } from '../../secrets.ts';

type Details = z.input<typeof cloudDetails>;
/** Facts that CloudInfo and ListCloudInfo return of a cloud. */
type Outline = Pick<
  Details,
  'type' | 'auth-types' | 'endpoint' | 'identity-endpoint' | 'storage-endpoint' | 'regions'
>;

/** Describes a cloud without the secrets in its configuration. */
export function describeCloud(call: Call, cloud: CloudDoc): Details {
  const isControllers = call.read().in('').get('controller', 'self')?.cloud === cloud.name;
  const schema = call.services.providers.get(cloud.type)?.config ?? {};
  const config = withoutSecrets(schema, cloud.config);
  const regions = Object.entries(cloud.regionConfig ?? {}).map(
    ([region, own]) => [region, withoutSecrets(schema, own)] as const,
  );
  return {
    ...outlineCloud(cloud),
    ...(Object.keys(config).length > 0 ? { config } : {}),
    ...(regions.length > 0 ? { 'region-config': Object.fromEntries(regions) } : {}),
    ...(cloud.caCertificates ? { 'ca-certificates': cloud.caCertificates } : {}),
    ...(cloud.skipTlsVerify ? { 'skip-tls-verify': true } : {}),
    ...(isControllers ? { 'is-controller-cloud': true } : {}),
  };
}

export function outlineCloud(cloud: CloudDoc): Outline {
  return {
    type: cloud.type,
    'auth-types': cloud.authTypes,
    ...endpointsOf(cloud),
    ...(cloud.regions.length > 0
      ? { regions: cloud.regions.map((region) => ({ name: region.name, ...endpointsOf(region) })) }
      : {}),
  };
}

function endpointsOf(of: {
  readonly endpoint?: string;
  readonly identityEndpoint?: string;
  readonly storageEndpoint?: string;
}): Pick<Details, 'endpoint' | 'identity-endpoint' | 'storage-endpoint'> {
  return {
    ...(of.endpoint ? { endpoint: of.endpoint } : {}),
    ...(of.identityEndpoint ? { 'identity-endpoint': of.identityEndpoint } : {}),
    ...(of.storageEndpoint ? { 'storage-endpoint': of.storageEndpoint } : {}),
  };
}
