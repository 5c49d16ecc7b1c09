/**
 * Storage in LXD's volumes: it moves from a unit to another with its data, while the controller is killed after each
 * kind of request, and stays when its model releases it.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World } from '../world.ts';
import { addBoxes, addProxied, base, containers, hurry, startBoxes } from './places.ts';
import { startProxy, type Passing, type Proxy } from './proxy.ts';
import { lxd } from './server.ts';

let proxy: Proxy;
let world: World & { readonly uuid: string };

beforeAll(async () => {
  proxy = await startProxy(lxd.socket, join(lxd.folder, 'storage.socket'));
  world = await startBoxes('lxdstorage', (one) => addProxied(one, 'proxied', proxy.socket));
  await hurry(world);
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => {
  proxy?.reset({});
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(world?.uuid ?? '')).toEqual([]);
  await proxy?.close();
});

const keeper = {
  metadata: `storage: ${JSON.stringify({
    data: { type: 'filesystem', location: '/srv/data', multiple: { range: '0-1' } },
  })}\n`,
  hooks: {
    install: 'status-set active; [ ! -e /srv/data ] || [ -e /srv/data/first ] || echo hello >/srv/data/first',
    'data-storage-attached': 'echo "$JUJU_STORAGE_ID at $(storage-get location)" >>/root/attached',
    'data-storage-detaching': 'echo "left by $JUJU_UNIT_NAME" >>/srv/data/first',
  },
};

interface Volume {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
  readonly used_by?: readonly string[] | null;
}

/** Returns the volumes of this file: other files make some meanwhile. */
async function volumes(): Promise<readonly Volume[]> {
  const all = await lxd.query<Volume[]>('/1.0/storage-pools/default/volumes/custom?recursion=1');
  return all.filter(({ name }) => name === photos || name.includes(world.uuid.slice(-6)));
}
const photos = 'kept-photos';

async function statusOf(id: string): Promise<string> {
  const listed = JSON.parse((await world.grigri('storage', '--format', 'json')) || '{}') as {
    readonly storage?: Readonly<Record<string, { readonly status: { readonly current: string } }>>;
  };
  return listed.storage?.[id]?.status.current ?? 'gone';
}

/**
 * Kills the controller once LXD has carried out the request; the next command starts it again. Returns a function that
 * tells the number of kills.
 */
function killAfter(isIt: (passing: Passing) => boolean): () => number {
  let kills = 0;
  proxy.reset({
    after(passing) {
      if (kills > 0 || !isIt(passing)) return 'pass';
      kills++;
      world.killController();
      return 'cut';
    },
  });
  return () => kills;
}

const isVolume = ({ path }: Passing): boolean => path.includes('/volumes/custom');
const isChange = ({ method, path }: Passing): boolean =>
  method === 'PUT' && /^\/1\.0\/instances\/[^/?]+(\?|$)/.test(path);

async function inside(unit: string, command: string): Promise<string> {
  return (await world.grigri('ssh', unit, command)).trim();
}

test('a volume moves from one unit to another with its data, over kills of the controller', async () => {
  const created = killAfter((passing) => passing.method === 'POST' && isVolume(passing));
  // The command may lose its connection.
  await world.attempt(
    'deploy',
    world.charm('keeper', keeper),
    ...base,
    '--force',
    '--storage',
    'data=lxd,64M',
  );
  await world.until('a kill after the creation', () => Promise.resolve(created() === 1));
  const attached = killAfter(isChange);
  await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(attached()).toBe(1);
  expect(await volumes()).toHaveLength(1);
  expect(await inside('keeper/0', 'sudo cat /root/attached; findmnt -no TARGET /srv/data')).toBe(
    'data/0 at /srv/data\n/srv/data',
  );

  const detached = killAfter(isChange);
  await world.grigri('remove-unit', 'keeper/0', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf('data/0')) === 'detached');
  expect(detached()).toBe(1);
  proxy.reset({});
  expect((await volumes())[0]?.used_by ?? []).toEqual([]);

  await world.grigri('add-unit', 'keeper', '--attach-storage', 'data/0');
  await world.untilUnit('keeper/1', { workload: 'active', agent: 'idle' });
  expect(await inside('keeper/1', 'cat /srv/data/first')).toBe('hello\nleft by keeper/0');

  // The storage is detached from a unit that stays, and attached again.
  await world.grigri('detach-storage', 'data/0');
  await world.until('the storage that was let go', async () => (await statusOf('data/0')) === 'detached');
  await world.grigri('attach-storage', 'keeper/1', 'data/0');
  await world.until('the storage in its place', async () => (await statusOf('data/0')) === 'attached');
  expect(await inside('keeper/1', 'cat /srv/data/first')).toBe('hello\nleft by keeper/0\nleft by keeper/1');
});

test('a removed machine leaves its volume, a destroyed one is gone, and a model may release the rest', async () => {
  const { machine } = await world.unit('keeper/1');
  await world.grigri('remove-machine', machine, '--force', '--no-wait', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf('data/0')) === 'detached');
  const [volume] = await volumes();
  await expect.poll(async () => (await volumes())[0]?.used_by ?? []).toEqual([]);

  await world.grigri('remove-application', 'keeper', '--no-prompt');
  const refused = await world.attempt('destroy-model', 'boxes', '--no-prompt');
  expect(refused.code).not.toBe(0);
  const released = killAfter((passing) => passing.method === 'PUT' && isVolume(passing));
  // The command loses its connection with the controller; the next command starts it.
  await world.attempt('destroy-model', 'boxes', '--no-prompt', '--release-storage');
  await world.until('the end of the model', async () => !(await world.grigri('models')).includes('boxes'));
  expect(released()).toBe(1);
  const [kept] = await volumes();
  expect(kept?.name).toBe(volume?.name);
  expect(Object.keys(kept?.config ?? {}).filter((key) => key.startsWith('user.'))).toEqual([]);
  await lxd.lxc('storage', 'volume', 'delete', 'default', volume!.name);
});

test('a volume of LXD with data becomes storage, is used by a unit, let go, and released', async () => {
  const name = photos;
  const id = `default:${name}`;
  const lxc = (...args: string[]): Promise<string> => lxd.lxc('storage', 'volume', ...args);
  await lxc('create', 'default', name, 'size=96MiB', 'user.shelf=4');
  // Another user's container puts data in the volume.
  await lxd.lxc('launch', 'debian/12', 'writer', '-c', 'security.privileged=true');
  await lxc('attach', 'default', name, 'writer', '/mnt/photos');
  await lxd.lxc(
    'exec',
    'writer',
    '--',
    'sh',
    '-c',
    'echo hello >/mnt/photos/first; chmod 644 /mnt/photos/first',
  );

  await addBoxes(world, 'imports', 'proxied');
  await hurry(world);
  const refusal = async (volume: string): Promise<string> => {
    const { code, stderr } = await world.attempt('import-filesystem', 'lxd', volume, 'data');
    expect({ code, stderr }).toMatchObject({ code: 1 });
    return stderr;
  };
  expect(await refusal('default:nothing')).toContain('volume "default:nothing" not found');
  expect(await refusal(id)).toContain(`volume "${id}" is used by instances/writer: detach it first`);
  await lxd.lxc('delete', '--force', 'writer');

  // The controller dies when LXD has tagged the volume, and goes on with the import.
  const taken = killAfter((passing) => passing.method === 'PUT' && isVolume(passing));
  await world.attempt('import-filesystem', 'lxd', id, 'data');
  await world.until('the imported storage', async () => (await statusOf('data/2')) === 'detached');
  expect(taken()).toBe(1);
  proxy.reset({});
  expect((await refusal(id)).trim()).toContain(`volume "${id}" is storage "data/2" of this model`);

  await world.grigri(
    'deploy',
    world.charm('keeper', keeper),
    ...base,
    '--force',
    '--attach-storage',
    'data/2',
  );
  await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(await inside('keeper/0', 'sudo cat /root/attached; cat /srv/data/first')).toBe(
    'data/2 at /srv/data\nhello',
  );
  await world.grigri('detach-storage', 'data/2');
  await world.until('the storage that was let go', async () => (await statusOf('data/2')) === 'detached');
  await world.grigri('remove-storage', 'data/2', '--no-destroy');
  await world.until('its end', async () => (await statusOf('data/2')) === 'gone');
  const [kept] = await volumes();
  expect(kept).toMatchObject({ name, config: { size: '96MiB', 'user.shelf': '4' }, used_by: [] });
  expect(Object.keys(kept!.config).filter((key) => key.startsWith('user.'))).toEqual(['user.shelf']);
  await world.grigri('destroy-model', 'imports', '--no-prompt');
  await lxc('delete', 'default', name);
});

test('storage is in an LXD pool of another driver, which is made for the storage', async () => {
  const { environment } = await lxd.query<{
    environment: { storage_supported_drivers: readonly { readonly Name: string }[] };
  }>('/1.0');
  const drivers = environment.storage_supported_drivers.map(({ Name }) => Name);
  await addBoxes(world, 'drivers', 'proxied');
  await hurry(world);
  const pools = async (): Promise<Record<string, unknown>> =>
    JSON.parse(await world.grigri('storage-pools', '--format', 'json')) as Record<string, unknown>;
  const driver = drivers.includes('btrfs') ? 'btrfs' : 'dir';
  if (driver === 'btrfs') await world.until('the default pool', async () => 'lxd-btrfs' in (await pools()));
  expect('lxd-zfs' in (await pools())).toBe(drivers.includes('zfs'));
  const refused = await world.attempt('create-storage-pool', 'odd', 'lxd', 'driver=nofs');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('LXD has no storage driver "nofs", only ');
  const missing = await world.attempt('create-storage-pool', 'odd', 'lxd', 'lxd-pool=nowhere');
  expect(missing.stderr).toContain('LXD storage pool "nowhere" not found');

  const size = driver === 'btrfs' ? ['size=1GiB'] : [];
  const settings = [`driver=${driver}`, 'lxd-pool=fast', 'volume.user.shelf=7', ...size];
  await world.grigri('create-storage-pool', 'fast', 'lxd', ...settings);
  expect(await pools()).toMatchObject({ fast: { provider: 'lxd', attrs: { driver, 'lxd-pool': 'fast' } } });
  // The controller dies when LXD has made the pool.
  const made = killAfter(
    ({ method, path }) => method === 'POST' && /^\/1\.0\/storage-pools(\?|$)/.test(path),
  );
  await world.attempt(
    'deploy',
    world.charm('keeper', keeper),
    ...base,
    '--force',
    '--storage',
    'data=fast,64M',
  );
  await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(made()).toBe(1);
  proxy.reset({});
  expect(await lxd.query('/1.0/storage-pools/fast')).toMatchObject({ driver });
  expect(await lxd.query<Volume[]>('/1.0/storage-pools/fast/volumes/custom?recursion=1')).toMatchObject([
    { config: { size: '64MiB', 'user.shelf': '7' } },
  ]);
  expect(await inside('keeper/0', 'cat /srv/data/first')).toBe('hello');
  if (driver === 'btrfs') expect(await inside('keeper/0', 'findmnt -no FSTYPE /srv/data')).toBe('btrfs');
  await world.grigri('destroy-model', 'drivers', '--no-prompt', '--destroy-storage');
  await world.until('its end', async () => !(await world.grigri('models')).includes('drivers'));
  await lxd.lxc('storage', 'delete', 'fast');
});
