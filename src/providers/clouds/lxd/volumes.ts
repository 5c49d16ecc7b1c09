/** Custom volumes of LXD's storage pools, mounted in instances as disk devices and tagged like instances. */
import { JujuError, notFound } from '../../../core/errors.ts';
import { timeLimit } from '../../../kit/clock.ts';
import { ProviderError, tagKeys, type Volume, type VolumeSource } from '../../contract/provider.ts';
import { answered, changeInstance, findOurs, type Devices } from './change-instance.ts';
import { LxdError } from './client.ts';
import type { LxdContext } from './context.ts';
import { isAbsent, isTaken } from './errors.ts';
import { defaultPools, ensurePool, isToBeMade, poolSchema, wantedPool } from './pools.ts';
import { isOwned, tagPrefix, tagsOfConfig, tagsToConfig, type Owner } from './names.ts';
import { defined } from '../../../core/defined.ts';

export interface LxdVolumes extends VolumeSource {
  /** Destroys all volumes of the model, or of the whole controller, after detaching them. */
  destroyAll(of: Owner, signal: AbortSignal): Promise<void>;
}

interface LxdVolume {
  readonly name: string;
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly content_type?: string;
  /** Users of the volume: `/1.0/instances/x?project=p`. */
  readonly used_by?: readonly string[] | null;
}

/** Prefix of the keys that models write; a volume may also have keys of its owner. */
const ownKeys = `${tagPrefix}juju-`;
/** Time limit in milliseconds for LXD's answer about a pool: a user waits for the answer. */
const answerMs = 20_000;
/** Maximum number of attempts to tag a volume that others change. */
const adoptAttempts = 5;

export function createLxdVolumes(context: LxdContext): LxdVolumes {
  const { open, locks } = context;
  return {
    type: 'lxd',
    config: poolSchema,
    async checkPool(attributes) {
      const limit = timeLimit(open.clock, answerMs);
      try {
        await answered(isToBeMade(context, wantedPool(attributes), limit.signal));
      } finally {
        limit.done();
      }
    },
    defaultPools: (signal) => answered(defaultPools(context, signal)),
    create: (params, signal) =>
      // LXD refuses the second of two concurrent creates with 'name in use' before the volume exists.
      answered(
        locks(`volume ${volumeName(open.modelUuid, params.id)}`, () => create(context, params, signal)),
      ),
    list: async (signal) =>
      (await answered(listVolumes(context, 'model', signal))).map(({ pool, volume }) =>
        volumeOf(pool, volume),
      ),
    async destroy(ids, signal) {
      for (const id of new Set(ids)) {
        const { pool, name } = placeOf(id);
        const volume = await answered(find(context, pool, name, signal));
        if (!volume) continue;
        const [first] = usersOf(volume);
        if (first !== undefined) throw isAttached(id, first);
        await answered(remove(context, pool, name, signal));
      }
    },
    attach: (params, signal) => answered(attach(context, params, signal)),
    detach: ({ id, instanceId }, signal) =>
      answered(
        (async () => {
          const { pool, name } = placeOf(id);
          if (await find(context, pool, name, signal)) await detach(context, pool, name, instanceId, signal);
        })(),
      ),
    adopt: (params, signal) => answered(adopt(context, params, signal)),
    async release(ids, signal) {
      for (const id of new Set(ids)) {
        const { pool, name } = placeOf(id);
        await answered(release(context, pool, name, signal));
      }
    },
    destroyAll: (of, signal) =>
      answered(
        (async () => {
          for (const { pool, volume } of await listVolumes(context, of, signal)) {
            for (const user of usersOf(volume)) await detach(context, pool, volume.name, user, signal);
            await remove(context, pool, volume.name, signal);
          }
        })(),
      ),
  };
}

async function attach(
  context: LxdContext,
  { id, instanceId, path, readOnly }: Parameters<VolumeSource['attach']>[0],
  signal: AbortSignal,
): Promise<void> {
  const { pool, name } = placeOf(id);
  const volume = await find(context, pool, name, signal);
  if (!volume) throw notFound('volume', id);
  await findOurs(context, instanceId, signal);
  // LXD itself would show a volume to several instances.
  const other = usersOf(volume).find((user) => user !== instanceId);
  if (other !== undefined) throw isAttached(id, other);
  const device = {
    type: 'disk',
    pool,
    source: name,
    path,
    ...defined({ readonly: readOnly ? 'true' : undefined }),
  };
  await changeInstance(
    context.client,
    instanceId,
    ({ devices }) => {
      const [key = deviceName(path), known] =
        Object.entries(devices).find(([, one]) => isOf(one, pool, name)) ?? [];
      return isSame(known, device) ? undefined : { devices: { ...devices, [key]: device } };
    },
    signal,
  );
}

async function find(
  { client, open }: LxdContext,
  pool: string,
  name: string,
  signal: AbortSignal,
): Promise<LxdVolume | undefined> {
  const found = await client.find<LxdVolume>(volumePath(pool, name), signal);
  return found && isOwned(found.config, open) ? found : undefined;
}

async function create(
  context: LxdContext,
  { id, size, config, tags }: Parameters<VolumeSource['create']>[0],
  signal: AbortSignal,
): Promise<Volume> {
  const { client, open } = context;
  const wanted = wantedPool(config);
  const pool = wanted.name;
  const name = volumeName(open.modelUuid, id);
  const path = volumesPath(pool);
  const body = {
    name,
    config: {
      ...wanted.volume,
      // A pool that cannot limit volumes stores the size as a note only.
      size: `${size}MiB`,
      ...tagsToConfig({
        ...tags,
        [tagKeys.model]: open.modelUuid,
        [tagKeys.controller]: open.controllerUuid,
      }),
    },
  };
  const existing = await find(context, pool, name, signal);
  if (existing) return volumeOf(pool, existing);
  await ensurePool(context, wanted, signal);
  await client.request({ method: 'POST', path, body, uncut: true }, signal).catch((error: unknown) => {
    // The request of a controller that was killed had succeeded after all.
    if (!isTaken(error)) throw error;
  });
  const found = await find(context, pool, name, signal);
  if (!found)
    throw new ProviderError(
      'bad request',
      `LXD has a volume ${name} in its pool ${pool} that is not of this model (by its tags): rename or delete it`,
    );
  return volumeOf(pool, found);
}

/** Adopts a volume. It keeps its name and id, by which its owner knows it; the tags name the model that has it now. */
async function adopt(
  context: LxdContext,
  { providerId, tags }: Parameters<NonNullable<VolumeSource['adopt']>>[0],
  signal: AbortSignal,
): Promise<Volume> {
  const { client, open } = context;
  const { pool, name } = placeOf(providerId);
  const path = volumePath(pool, name);
  const all = tagsToConfig({
    ...tags,
    [tagKeys.model]: open.modelUuid,
    [tagKeys.controller]: open.controllerUuid,
  });
  for (let attempt = 1; ; attempt++) {
    const found =
      pool === '' || name === ''
        ? undefined
        : await client.read<LxdVolume>(path, signal).catch(unlessAbsent(undefined));
    if (!found) throw notFound('volume', providerId);
    const { value, etag } = found;
    // Tags that are all set already come from an earlier call.
    if (Object.entries(all).every(([key, text]) => value.config[key] === text))
      return sized(context, pool, value, signal);
    refuseOthers(value, providerId);
    try {
      const config = { ...value.config, ...all };
      await client.request(
        { method: 'PUT', path, body: { config, description: value.description }, etag },
        signal,
      );
      return await sized(context, pool, { ...value, config }, signal);
    } catch (error) {
      // The volume was changed meanwhile, perhaps by another model that takes it.
      if (!(error instanceof LxdError && error.status === 412) || attempt === adoptAttempts) throw error;
    }
  }
}

/** Returns the volume with a size: that of its content, where LXD can tell it, for a volume without a limit. */
async function sized(
  { client }: LxdContext,
  pool: string,
  volume: LxdVolume,
  signal: AbortSignal,
): Promise<Volume> {
  const known = volumeOf(pool, volume);
  if (known.size > 0) return known;
  const state = await client
    .find<{ usage?: { used?: number } | null }>(`${volumePath(pool, volume.name)}/state`, signal)
    .catch((error: unknown) => {
      if (!(error instanceof LxdError)) throw error;
    });
  return { ...known, size: Math.max(Math.ceil((state?.usage?.used ?? 0) / 1024 ** 2), 1) };
}

/**
 * Refuses volumes that cannot be adopted. Errors: JujuError `not found` for another model's volume; '' for a volume
 * that containers cannot mount, or that is in use.
 */
function refuseOthers({ config, content_type, used_by }: LxdVolume, id: string): void {
  if (config[tagPrefix + tagKeys.model] !== undefined) throw notFound('volume', id);
  if (content_type === 'block')
    throw new JujuError('', `volume "${id}" is a block device: only file systems can be imported`);
  const [user] = (used_by ?? []).map((url) => url.replace(/^\/1\.0\//, '').split('?', 1)[0]);
  if (user !== undefined) throw new JujuError('', `volume "${id}" is used by ${user}: detach it first`);
}

/** Lists the volumes of the owner in all pools. Errors: LxdError. */
export async function listVolumes(
  { client, open }: Pick<LxdContext, 'client' | 'open'>,
  of: Owner,
  signal: AbortSignal,
): Promise<{ pool: string; volume: LxdVolume }[]> {
  const pools = await client.request<string[]>({ method: 'GET', path: '/1.0/storage-pools' }, signal);
  const found = [];
  for (const url of pools) {
    const pool = decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));
    const request = { method: 'GET', path: volumesPath(pool), query: { recursion: '1' } } as const;
    // A pool that is deleted meanwhile takes its volumes with it.
    const volumes = await client.request<LxdVolume[]>(request, signal).catch(unlessAbsent<LxdVolume[]>([]));
    for (const volume of volumes) if (isOwned(volume.config, open, of)) found.push({ pool, volume });
  }
  return found;
}

async function remove(
  { client }: LxdContext,
  pool: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const request = { method: 'DELETE', path: volumePath(pool, name) } as const;
  await client.request<void>(request, signal).catch(unlessAbsent<void>(undefined));
}

/** Removes the volume's tags, so that it is not found among the model's volumes any more. */
async function release(context: LxdContext, pool: string, name: string, signal: AbortSignal): Promise<void> {
  const { client, open } = context;
  const path = volumePath(pool, name);
  const volume = await find(context, pool, name, signal);
  if (!volume) return;
  const [first] = usersOf(volume);
  if (first !== undefined) throw isAttached(`${pool}:${name}`, first);
  const { value, etag } = await client.read<LxdVolume>(path, signal);
  if (!isOwned(value.config, open)) return;
  const config = Object.fromEntries(Object.entries(value.config).filter(([key]) => !key.startsWith(ownKeys)));
  await client.request(
    { method: 'PUT', path, body: { config, description: value.description }, etag },
    signal,
  );
}

async function detach(
  { client }: LxdContext,
  pool: string,
  name: string,
  instance: string,
  signal: AbortSignal,
): Promise<void> {
  await changeInstance(
    client,
    instance,
    ({ devices }) => {
      const rest = Object.entries(devices).filter(([, device]) => !isOf(device, pool, name));
      return rest.length === Object.keys(devices).length ? undefined : { devices: Object.fromEntries(rest) };
    },
    signal,
  ).catch((error: unknown) => {
    if (!(error instanceof JujuError && error.code === 'not found')) throw error;
  });
}

function isAttached(id: string, instance: string): JujuError {
  return new JujuError('', `volume "${id}" is attached to instance "${instance}": detach it first`);
}

/**
 * Returns the name `juju-volume-3` of the device that is mounted at `…/3`: volumes that were imported have any name.
 */
function deviceName(path: string): string {
  return `juju-volume-${path.slice(path.lastIndexOf('/') + 1)}`;
}

/** Returns the name `juju-3f9a2c-volume-0`. */
function volumeName(modelUuid: string, id: string): string {
  return `juju-${modelUuid.slice(-6)}-volume-${id.replaceAll('/', '-')}`;
}

/** Converts a volume; its id `default:juju-3f9a2c-volume-0` includes the pool, as in Juju. */
function volumeOf(pool: string, volume: LxdVolume): Volume {
  return {
    id: `${pool}:${volume.name}`,
    size: mebibytes(volume.config['size']),
    tags: tagsOfConfig(volume.config),
    attachedTo: usersOf(volume),
  };
}

function placeOf(id: string): { pool: string; name: string } {
  const colon = id.indexOf(':');
  return { pool: id.slice(0, Math.max(colon, 0)), name: id.slice(colon + 1) };
}

function volumesPath(pool: string): string {
  return `/1.0/storage-pools/${encodeURIComponent(pool)}/volumes/custom`;
}

export function volumePath(pool: string, name: string): string {
  return `${volumesPath(pool)}/${encodeURIComponent(name)}`;
}

function usersOf({ used_by }: LxdVolume): string[] {
  return (used_by ?? []).flatMap((url) => /^\/1\.0\/instances\/([^/?]+)/.exec(url)?.[1] ?? []);
}

function mebibytes(size: string | undefined): number {
  const [, number = '0', unit = ''] = /^(\d+)([A-Za-z]*)$/.exec(size ?? '') ?? [];
  const factors: Readonly<Record<string, number>> = { MiB: 1, GiB: 1024, TiB: 1024 ** 2 };
  return Math.floor(Number(number) * (factors[unit] ?? 1 / 1024 ** 2));
}

type Device = Devices[string];

function isOf(device: Device, pool: string, name: string): boolean {
  return device['type'] === 'disk' && device['pool'] === pool && device['source'] === name;
}

function isSame(device: Device | undefined, wanted: Device): boolean {
  if (!device || Object.keys(device).length !== Object.keys(wanted).length) return false;
  return Object.entries(wanted).every(([key, value]) => device[key] === value);
}

function unlessAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof LxdError && isAbsent(error)) return value;
    throw error;
  };
}
