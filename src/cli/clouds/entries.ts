/** Forms of a cloud: in clouds.yaml, in the API, and in output for people. */
import type { z } from 'zod';
import type { cloudDetails } from '../../wire/facades/cloud.ts';
import type { ResultOf } from '../../client/calls.ts';
import type { CloudEntry, RegionEntry } from '../files/cloud-files.ts';
import type { ClientCloud } from './cloud.ts';
import { defined } from '../../core/defined.ts';

type CloudInfo = NonNullable<ResultOf<'Cloud', 'CloudInfo'>['results'][number]['result']>;

type WireCloud = z.output<typeof cloudDetails>;

/** Returns the cloud as an entry of clouds.yaml. */
export function entryOf(cloud: ClientCloud): CloudEntry {
  return {
    type: cloud.type,
    ...defined({ description: cloud.description || undefined }),
    'auth-types': cloud.authTypes,
    ...defined({ endpoint: cloud.endpoint || undefined }),
    ...(cloud.regions.length > 0 && {
      regions: new Map(cloud.regions.map(({ name, endpoint }) => [name, endpoint ? { endpoint } : {}])),
    }),
    ...defined({
      config: Object.keys(cloud.config).length > 0 ? cloud.config : undefined,
      'region-config': cloud.regionConfig,
      'ca-certificates': cloud.caCertificates,
      'skip-tls-verify': cloud.skipTlsVerify || undefined,
    }),
  };
}

/** Returns the entry in the form that AddCloud and UpdateCloud take. */
export function toWire({ description: _description, regions, ...entry }: CloudEntry): {
  type: string;
  'auth-types'?: string[];
  regions?: { name: string; endpoint?: string }[];
  config?: Record<string, unknown>;
  'region-config'?: Record<string, Record<string, unknown>>;
  'ca-certificates'?: string[];
} {
  return {
    ...(structuredClone(entry) as { type: string }),
    ...(regions && { regions: [...regions].map(([name, region]) => ({ name, ...region })) }),
  };
}

/** Cloud as show-cloud, clouds and regions print it. */
export interface ShownCloud {
  readonly defined: 'public' | 'local' | 'built-in';
  readonly type: string;
  readonly description?: string;
  readonly 'auth-types'?: readonly string[];
  readonly endpoint?: string;
  readonly 'identity-endpoint'?: string;
  readonly 'storage-endpoint'?: string;
  readonly 'credential-count'?: number;
  readonly 'default-region'?: string;
  readonly regions?: ReadonlyMap<string, RegionEntry>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly 'region-config'?: Readonly<Record<string, unknown>>;
  readonly 'ca-credentials'?: readonly string[];
  readonly users?: Readonly<Record<string, { readonly 'display-name': string; readonly access: string }>>;
  readonly 'skip-tls-verify'?: boolean;
}

/** Returns the users of a controller's cloud, by name; undefined: none. */
export function shownUsers(users: CloudInfo['users'] | undefined): ShownCloud['users'] {
  if (!users || users.length === 0) return undefined;
  return Object.fromEntries(
    users.map(({ user, access, 'display-name': displayName }) => [
      user,
      { 'display-name': displayName, access },
    ]),
  );
}

export function showEntry(
  entry: CloudEntry,
  extra: Pick<ShownCloud, 'defined' | 'description' | 'credential-count' | 'default-region' | 'users'>,
): ShownCloud {
  const { 'auth-types': authTypes = [], 'ca-certificates': certificates } = entry;
  return {
    defined: extra.defined,
    type: shownType(entry.type),
    ...defined({
      description: extra.description || undefined,
      'auth-types': authTypes.length > 0 ? authTypes : undefined,
      endpoint: entry.endpoint || undefined,
      'identity-endpoint': entry['identity-endpoint'] || undefined,
      'storage-endpoint': entry['storage-endpoint'] || undefined,
      'credential-count': extra['credential-count'] || undefined,
      'default-region': extra['default-region'] || undefined,
      regions: entry.regions ? shownRegions(entry) : undefined,
      config: entry.config,
      'region-config': entry['region-config'],
      'ca-credentials': certificates,
      users: extra.users,
      'skip-tls-verify': entry['skip-tls-verify'] || undefined,
    }),
  };
}

/** Returns the name of a cloud's type as it is shown. */
const shownType = (type: string): string => (type === 'kubernetes' ? 'k8s' : type);

/** Returns the regions without endpoints that equal the cloud's own. */
export function shownRegions(entry: CloudEntry): ReadonlyMap<string, RegionEntry> {
  const keys = ['endpoint', 'identity-endpoint', 'storage-endpoint'] as const;
  return new Map(
    [...(entry.regions ?? [])].map(([name, region]) => [
      name,
      Object.fromEntries(
        keys.flatMap((key) => (region[key] && region[key] !== entry[key] ? [[key, region[key]]] : [])),
      ),
    ]),
  );
}

/** Returns a controller's cloud as an entry of clouds.yaml. */
export function fromWire(cloud: WireCloud): CloudEntry {
  const { regions, 'is-controller-cloud': _own, ...entry } = cloud;
  return {
    ...(entry as Omit<CloudEntry, 'regions'>),
    ...(regions && {
      regions: new Map(regions.map(({ name, ...region }) => [name, region as RegionEntry])),
    }),
  };
}

/** Returns the cloud with its Maps as objects, for JSON. */
export function plainCloud(cloud: ShownCloud): Readonly<Record<string, unknown>> {
  return { ...cloud, ...defined({ regions: cloud.regions ? Object.fromEntries(cloud.regions) : undefined }) };
}
