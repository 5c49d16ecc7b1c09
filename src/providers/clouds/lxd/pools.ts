/** LXD's own storage pools as settings of a storage pool name them (provider-rules.md#lxd-volumes). */
import { JujuError, notValid } from '../../../core/errors.ts';
import { ProviderError, type ProviderConfig } from '../../contract/provider.ts';
import { validateConfig } from '../../toolkit/validate-config.ts';
import type { LxdContext } from './context.ts';
import { isTaken } from './errors.ts';

export const poolSchema = {
  'lxd-pool': {
    type: 'string',
    description:
      'The LXD storage pool in which volumes are created: "default", or "juju" with a driver; one that does not exist is made with the driver',
  },
  driver: {
    type: 'string',
    description: 'The driver of the LXD storage pool: btrfs, dir, lvm, zfs…',
  },
} as const;

/** Pools that a model has from the beginning where LXD has their driver. */
const defaults = ['zfs', 'btrfs'].map((driver) => ({
  name: `lxd-${driver}`,
  attributes: { driver, 'lxd-pool': `juju-${driver}` },
}));

/** Settings of a storage pool, parsed: the LXD pool, how it is made, and settings of each volume in it. */
interface WantedPool {
  readonly name: string;
  readonly driver: string | undefined;
  /** LXD's settings of the pool when it is made: `{size: '5GiB'}`. */
  readonly config: Readonly<Record<string, string>>;
  /** LXD's settings of each volume, given as `volume.<key>`. */
  readonly volume: Readonly<Record<string, string>>;
}
interface LxdPool {
  readonly driver: string;
}
interface Server {
  readonly environment: {
    readonly server_clustered?: boolean;
    readonly storage_supported_drivers?: readonly { readonly Name: string }[] | null;
  };
}

const ofVolumes = 'volume.';

/** Parses the settings. Errors: JujuError `not valid`. */
export function wantedPool(config: ProviderConfig): WantedPool {
  const { 'lxd-pool': given, driver: wanted, ...rest } = validateConfig(poolSchema, config);
  const driver = typeof wanted === 'string' ? wanted : undefined;
  const name = typeof given === 'string' ? given : driver === undefined ? 'default' : 'juju';
  if (!isLxdName(name)) throw notValid(`LXD storage pool name "${name}" not valid`);
  if (driver !== undefined && !/^[a-z][a-z0-9]{0,30}$/.test(driver))
    throw notValid(`LXD storage driver "${driver}" not valid`);
  const settings = Object.entries(rest).map(([key, value]) => [key, String(value)] as const);
  const [volumes, pool] = [true, false].map((is) =>
    settings.filter(([key]) => key.startsWith(ofVolumes) === is),
  );
  return {
    name,
    driver,
    config: Object.fromEntries(pool ?? []),
    volume: Object.fromEntries((volumes ?? []).map(([key, value]) => [key.slice(ofVolumes.length), value])),
  };
}

/** Whether the name can be that of an LXD pool, which is part of the ids of its volumes: `default:photos`. */
function isLxdName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(name);
}

/** Makes the LXD pool when there is none of this name. Errors: JujuError `not valid`; ProviderError; LxdError. */
export async function ensurePool(
  context: LxdContext,
  wanted: WantedPool,
  signal: AbortSignal,
): Promise<void> {
  const { client, locks } = context;
  await locks(`storage pool ${wanted.name}`, async () => {
    if (!(await isToBeMade(context, wanted, signal))) return;
    const { name, driver, config } = wanted;
    const body = { name, driver, config, description: 'made for storage of juju models' };
    await client
      .request({ method: 'POST', path: '/1.0/storage-pools', body, uncut: true }, signal)
      .catch((error: unknown) => {
        // The pool was made meanwhile by another controller, or by this one before it was killed.
        if (!isTaken(error)) throw error;
      });
  });
}

/** Whether the LXD pool has to be made, and can be. Errors: JujuError `not valid`; LxdError. */
export async function isToBeMade(
  { client }: Pick<LxdContext, 'client'>,
  { name, driver }: WantedPool,
  signal: AbortSignal,
): Promise<boolean> {
  const pool = await client.find<LxdPool>(`/1.0/storage-pools/${encodeURIComponent(name)}`, signal);
  if (pool) {
    if (driver === undefined || pool.driver === driver) return false;
    throw notValid(`LXD storage pool "${name}" has the driver "${pool.driver}", not "${driver}"`);
  }
  if (driver === undefined)
    throw new JujuError(
      'not found',
      `LXD storage pool "${name}" not found: make it, or say with which driver it is to be made`,
    );
  const { environment } = await client.request<Server>({ method: 'GET', path: '/1.0' }, signal);
  const drivers = driversOf(environment);
  if (drivers && !drivers.includes(driver))
    throw notValid(`LXD has no storage driver "${driver}", only ${drivers.join(', ')}`);
  if (environment.server_clustered)
    throw new ProviderError(
      'bad request',
      `a cluster's storage pools are made on each member by its operator: make the LXD storage pool "${name}" first`,
    );
  return true;
}

/** Returns the pools for which LXD has the driver. */
export async function defaultPools(
  { client }: Pick<LxdContext, 'client'>,
  signal: AbortSignal,
): Promise<typeof defaults> {
  const { environment } = await client.request<Server>({ method: 'GET', path: '/1.0' }, signal);
  const drivers = driversOf(environment) ?? [];
  return defaults.filter(({ attributes }) => drivers.includes(attributes.driver));
}

/** Returns the storage drivers that the LXD server supports; undefined for an old server that does not list them. */
function driversOf({ storage_supported_drivers: all }: Server['environment']): string[] | undefined {
  return all?.map(({ Name }) => Name).toSorted();
}
