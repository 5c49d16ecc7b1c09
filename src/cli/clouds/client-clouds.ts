/** Clouds that this client knows: clouds of clouds.yaml, built-in clouds, and clouds detected on this computer. */
import type { DetectedCloud, Provider } from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';
import { CloudFiles, type CloudEntry } from '../files/cloud-files.ts';
import type { ClientCloud } from './cloud.ts';
import { builtInPublicClouds } from './public-clouds.ts';
import { defined } from '../../core/defined.ts';

export async function cloudFiles(context: CommandContext): Promise<CloudFiles> {
  return new CloudFiles((await context.store()).dir, context.io.clock);
}

export type Providers = ReadonlyMap<string, Provider>;

/**
 * Returns the clouds by name: those of clouds.yaml, built-in ones, detected ones, public ones. A cloud of clouds.yaml
 * hides others with its name, a built-in cloud hides public ones.
 */
export async function clientClouds(context: CommandContext): Promise<ReadonlyMap<string, ClientCloud>> {
  const providers = await context.io.providers();
  const files = await cloudFiles(context);
  const clouds = new Map<string, ClientCloud>();
  for (const [name, entry] of (await files.publicClouds()) ?? builtInPublicClouds)
    clouds.set(name, fromEntry(name, entry, providers, 'public'));
  for (const provider of providers.values()) {
    for (const cloud of await builtIn(context, provider)) clouds.set(cloud.name, cloud);
  }
  for (const [name, entry] of await files.clouds()) clouds.set(name, fromEntry(name, entry, providers));
  return new Map([...clouds].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Finds a cloud by name or alias. */
export async function findClientCloud(
  context: CommandContext,
  name: string,
): Promise<ClientCloud | undefined> {
  const entry = (await (await cloudFiles(context)).clouds()).get(name);
  const providers = await context.io.providers();
  if (entry) return fromEntry(name, entry, providers);
  for (const { type, builtinCloud } of providers.values()) {
    if (builtinCloud?.name === name || builtinCloud?.aliases?.includes(name))
      return (await builtIn(context, providers.get(type)!))[0];
  }
  return (await clientClouds(context)).get(name);
}

/** Returns the clouds that a provider detects on this computer; none when it has no detection. */
export async function detect(context: CommandContext, provider: Provider): Promise<readonly DetectedCloud[]> {
  const { env, home, clock, signal } = context.io;
  return (await provider.detect?.({ env, home, clock, signal })) ?? [];
}

/** Returns the built-in cloud first, then other detected clouds. */
async function builtIn(context: CommandContext, provider: Provider): Promise<ClientCloud[]> {
  const builtin = provider.builtinCloud;
  const detectedClouds = await detect(context, provider);
  const names = builtin ? [builtin.name, ...(builtin.aliases ?? [])] : [];
  const isBuiltin = (cloud: DetectedCloud): boolean => names.includes(cloud.name);
  const make = (
    name: string,
    description: string,
    cloud: Omit<DetectedCloud, 'credentials' | 'name'>,
  ): ClientCloud => ({
    name,
    type: provider.type,
    description,
    defined: 'built-in',
    authTypes: Object.keys(provider.authTypes),
    endpoint: cloud.endpoint,
    regions: cloud.regions.map((region) => ({ name: region })),
    config: {},
  });
  const detectedBuiltin = detectedClouds.find(isBuiltin);
  return [
    ...(builtin
      ? [
          make(builtin.name, builtin.description, {
            endpoint: detectedBuiltin?.endpoint ?? '',
            regions: builtin.regions,
          }),
        ]
      : []),
    ...detectedClouds
      .filter((cloud) => !isBuiltin(cloud))
      .map((cloud) => make(cloud.name, provider.description, cloud)),
  ];
}

/** Descriptions of clouds by their names or types, in Juju's words, for clouds whose definition has none. */
const descriptions: Readonly<Record<string, string>> = {
  aws: 'Amazon Web Services',
  'aws-china': 'Amazon China',
  'aws-gov': 'Amazon (USA Government)',
  azure: 'Microsoft Azure',
  'azure-china': 'Microsoft Azure China',
  equinix: 'Equinix Metal',
  google: 'Google Cloud Platform',
  kubernetes: 'A Kubernetes Cluster',
  lxd: 'LXD Container Hypervisor',
  maas: 'Metal As A Service',
  openstack: 'Openstack Cloud',
  oracle: 'Oracle Compute Cloud Service',
};
const describe = (word: string): string | undefined =>
  Object.hasOwn(descriptions, word) ? descriptions[word] : undefined;

export function fromEntry(
  name: string,
  entry: CloudEntry,
  providers: Providers,
  from: ClientCloud['defined'] = 'local',
): ClientCloud {
  const provider = providers.get(entry.type);
  return {
    name,
    type: entry.type,
    description: entry.description ?? describe(name) ?? describe(entry.type) ?? provider?.description ?? '',
    defined: from,
    authTypes: entry['auth-types'] ?? (provider ? defaultAuthTypes(provider, entry.endpoint ?? '') : []),
    endpoint: entry.endpoint ?? '',
    regions: [...(entry.regions ?? [])].map(([region, { endpoint }]) => ({
      name: region,
      ...defined({ endpoint: endpoint || undefined }),
    })),
    ...defined({
      caCertificates: entry['ca-certificates'],
      skipTlsVerify: entry['skip-tls-verify'] || undefined,
    }),
    config: entry.config ?? {},
    ...defined({ regionConfig: entry['region-config'] }),
  };
}

/**
 * Returns the default auth types. Remote clouds need authentication, so `empty` is left out where the provider has
 * another type.
 */
export function defaultAuthTypes(provider: Provider, endpoint: string): readonly string[] {
  const authTypes = Object.keys(provider.authTypes);
  const withoutEmpty = authTypes.filter((type) => type !== 'empty');
  return /^[a-z]+:\/\//.test(endpoint) && withoutEmpty.length > 0 ? withoutEmpty : authTypes;
}
