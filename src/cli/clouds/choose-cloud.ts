import { JujuError } from '../../core/errors.ts';
import type { CloudSpec } from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';
import { chooseCredential, useCredential } from './choose-credential.ts';
import { cloudFiles, findClientCloud } from './client-clouds.ts';
import type { ChosenCloud, ClientCloud } from './cloud.ts';
import { defined } from '../../core/defined.ts';

/**
 * Resolves `cloud[/region]` to the cloud, its region (or the default one) and the credential, ready for use. A
 * credential of credentials.yaml that the provider replaces is written back. Errors: `not found`, `not valid`, `no
 * credentials provided`, ProviderError of class `credential`.
 */
export async function chooseCloud(
  context: CommandContext,
  cloudAndRegion: string,
  options: { readonly credential?: string } = {},
): Promise<ChosenCloud> {
  const slash = cloudAndRegion.indexOf('/');
  const name = slash < 0 ? cloudAndRegion : cloudAndRegion.slice(0, slash);
  const cloud = await findClientCloud(context, name);
  if (!cloud)
    throw new JujuError(
      'not found',
      `unknown cloud "${name}", please try 'grigri clouds' for a list, or 'grigri add-cloud' to add a cloud`,
    );
  const provider = (await context.io.providers()).get(cloud.type);
  if (!provider)
    throw new JujuError('not supported', `cloud "${cloud.name}" has the unknown type "${cloud.type}"`);
  const stored = await (await cloudFiles(context)).credentialsOf(cloud.name);
  const region = chooseRegion(
    cloud,
    slash < 0 ? '' : cloudAndRegion.slice(slash + 1),
    stored.defaultRegion ?? '',
  );
  const chosen = await chooseCredential(context, cloud, provider, options.credential ?? '');
  const spec = cloudSpec(cloud, region);
  if (!chosen) return { cloud, provider, region, spec };
  const credential = await useCredential(context, spec, provider, chosen);
  const { authType, attributes } = credential;
  return { cloud, provider, region, credential, spec: { ...spec, credential: { authType, attributes } } };
}

/**
 * Returns the requested region; without one, the user's default, then the cloud's first; '' for a cloud without
 * regions.
 */
export function chooseRegion(cloud: ClientCloud, requested: string, fallback: string): string {
  const regionName = requested || fallback;
  const names = cloud.regions.map((region) => region.name);
  if (!regionName) return names[0] ?? '';
  if (!names.includes(regionName))
    throw new JujuError(
      'not valid',
      names.length === 0
        ? `region "${regionName}" for cloud "${cloud.name}" not valid, the cloud has no regions`
        : `region "${regionName}" for cloud "${cloud.name}" not valid, the regions are: ${names.join(', ')}`,
    );
  return regionName;
}

/** Returns the cloud as providers see it, without a credential. */
export function cloudSpec(cloud: ClientCloud, region: string): CloudSpec {
  return {
    name: cloud.name,
    type: cloud.type,
    region,
    endpoint: cloud.regions.find((one) => one.name === region)?.endpoint ?? cloud.endpoint,
    config: { ...cloud.config, ...cloud.regionConfig?.[region] },
    ...defined({ caCertificates: cloud.caCertificates, skipTlsVerify: cloud.skipTlsVerify || undefined }),
  };
}
