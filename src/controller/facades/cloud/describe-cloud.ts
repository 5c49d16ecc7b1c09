import type { z } from 'zod';
import type { CloudDoc } from '../../../core/cloud/document.ts';
import type { cloudDetails } from '../../../wire/facades/cloud.ts';
import type { Call } from '../../facade.ts';
import { withoutSecrets } from '../../secrets.ts';
import { defined } from '../../../core/defined.ts';

type Details = z.input<typeof cloudDetails>;
/** Facts that CloudInfo and ListCloudInfo return of a cloud. */
type Outline = Pick<
  Details,
  'type' | 'auth-types' | 'endpoint' | 'identity-endpoint' | 'storage-endpoint' | 'regions'
>;

/** Describes a cloud without the secrets in its configuration. */
export function describeCloud(call: Call, cloud: CloudDoc): Details {
  const isControllerCloud = call.read().in('').get('controller', 'self')?.cloud === cloud.name;
  const schema = call.services.providers.get(cloud.type)?.config ?? {};
  const config = withoutSecrets(schema, cloud.config);
  const regions = Object.entries(cloud.regionConfig ?? {}).map(
    ([region, regionConfig]) => [region, withoutSecrets(schema, regionConfig)] as const,
  );
  return {
    ...outlineCloud(cloud),
    ...defined({ config: Object.keys(config).length > 0 ? config : undefined }),
    ...(regions.length > 0 ? { 'region-config': Object.fromEntries(regions) } : {}),
    ...defined({
      'ca-certificates': cloud.caCertificates,
      'skip-tls-verify': cloud.skipTlsVerify || undefined,
      'host-cloud-region': cloud.hostCloudRegion,
      'is-controller-cloud': isControllerCloud || undefined,
    }),
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

function endpointsOf(source: {
  readonly endpoint?: string;
  readonly identityEndpoint?: string;
  readonly storageEndpoint?: string;
}): Pick<Details, 'endpoint' | 'identity-endpoint' | 'storage-endpoint'> {
  return {
    ...defined({
      endpoint: source.endpoint || undefined,
      'identity-endpoint': source.identityEndpoint || undefined,
      'storage-endpoint': source.storageEndpoint || undefined,
    }),
  };
}
