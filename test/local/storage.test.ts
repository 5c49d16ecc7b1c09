/** Storage on real machines: made before install, moved from one unit to another with its data, and removed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld('storage');
});
afterAll(async () => {
  expect(await world.end()).toEqual([]);
  expect(volumeDevices()).toEqual([]);
});

/**
 * Returns the loop devices of volumes of the host: their files are seen from within machines, as `/3`. No other file
 * here has volumes.
 */
function volumeDevices(): string[] {
  return execFileSync('losetup', ['--list', '--noheadings', '--output', 'NAME,BACK-FILE'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((line) => / \/\d+( \(deleted\))?\s*$/.test(line) || line.includes(world.dir));
}
const untilNoDevices = (): Promise<void> =>
  world.until('the devices to be gone', () => Promise.resolve(volumeDevices().length === 0));
/** Without loop devices volumes are folders of no size. */
const hasLoops = existsSync('/dev/loop-control');

const keeper = {
  metadata: `storage: ${JSON.stringify({
    data: { type: 'filesystem', location: '/srv/data', multiple: { range: '0-1' } },
    cache: { type: 'filesystem', multiple: { range: '0+' } },
  })}\n`,
  hooks: {
    install:
      'status-set active "$(cat /root/attached) $(storage-list | tr "\\n" " ")"; [ -e /srv/data/first ] || echo hello >/srv/data/first',
    'data-storage-attached':
      'echo "$JUJU_STORAGE_ID $JUJU_STORAGE_KIND $(storage-get location)" >>/root/attached',
    'data-storage-detaching': 'echo "$JUJU_STORAGE_ID" >>/srv/data/detached',
    'cache-storage-attached': 'echo "$JUJU_STORAGE_LOCATION" >>/root/caches',
  },
};

async function inside(unit: string, command: string): Promise<string> {
  return (await world.grigri('ssh', unit, command)).trim();
}

interface Listed {
  readonly filesystems?: Readonly<Record<string, { readonly storage?: string }>>;
  readonly storage?: Readonly<
    Record<
      string,
      {
        readonly status: { readonly current: string };
        readonly attachments?: { readonly units: Readonly<Record<string, object>> };
      }
    >
  >;
}

/** Returns the ids of the unit's storage. */
async function idsOf(unit: string): Promise<string[]> {
  const { storage = {} } = JSON.parse(await world.grigri('storage', '--format', 'json')) as Listed;
  return Object.entries(storage).flatMap(([id, { attachments }]) => (attachments?.units[unit] ? [id] : []));
}

async function statusOf(id: string): Promise<string> {
  const listed = JSON.parse((await world.grigri('storage', '--format', 'json')) || '{}') as Listed;
  return listed.storage?.[id]?.status.current ?? 'gone';
}

test('storage of the cloud moves from one unit to another with its data', async () => {
  await world.grigri('deploy', world.charm('keeper', keeper), '--storage', 'data=local,100M');
  const { message } = await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(message?.trim()).toBe('data/0 filesystem /srv/data data/0');
  expect(await statusOf('data/0')).toBe('attached');
  if (!hasLoops)
    expect(await world.grigri('status', '--storage')).toContain('a folder without a size of its own');
  else {
    // The storage has no more space than requested.
    const filled = await inside(
      'keeper/0',
      'dd if=/dev/zero of=/srv/data/all bs=1M 2>&1; df --output=fstype,size /srv/data | tail -1; rm /srv/data/all',
    );
    expect(filled).toContain('No space left on device');
    expect(volumeDevices()).toHaveLength(1);
    expect(filled).toMatch(/ext4 +[89]\d{4}$/);
    expect(await world.grigri('storage')).toMatch(
      /^keeper\/0 +data\/0 +filesystem +local +100 MiB +attached *$/m,
    );
    // Another machine of the model does not see the storage.
    await world.grigri('add-machine');
    await world.until(
      'another machine',
      async () => (await world.status()).machines['1']?.['juju-status'].current === 'started',
    );
    expect(await inside('1', 'ls /var/lib/juju/storage/volumes')).toBe('');
    await world.grigri('remove-machine', '1', '--no-prompt');
  }

  // Storage that is added later is on the machine itself, and does not outlive it.
  await world.grigri('add-storage', 'keeper/0', 'cache=tmpfs,2,8M');
  await world.until('the caches', async () => (await statusOf('cache/2')) === 'attached');
  await world.until(
    'the hooks',
    async () => (await inside('keeper/0', 'sort /root/caches')).split('\n').length === 2,
  );
  expect(await inside('keeper/0', 'df --output=fstype,target | grep cache | sort')).toMatch(
    /^tmpfs +\/var\/lib\/juju\/storage\/cache\/1\ntmpfs +\/var\/lib\/juju\/storage\/cache\/2$/,
  );

  await world.grigri('remove-unit', 'keeper/0', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf('data/0')) === 'detached');
  await world.until('the end of the machine’s own', async () => (await statusOf('cache/1')) === 'gone');

  await world.grigri('add-unit', 'keeper', '--attach-storage', 'data/0');
  await world.untilUnit('keeper/1', { workload: 'active', agent: 'idle' });
  expect(await inside('keeper/1', 'cat /srv/data/first /srv/data/detached')).toBe('hello\ndata/0');

  await world.grigri('remove-application', 'keeper', '--no-prompt', '--destroy-storage');
  await world.until('its end', async () => (await statusOf('data/0')) === 'gone');
  await untilNoDevices();
});

test('a killed machine, and one that is removed by force, lose nothing of a volume', async () => {
  await world.grigri('deploy', world.charm('keeper', keeper), 'second', '--storage', 'data=local,64M');
  const { machine } = await world.untilUnit('second/0', { workload: 'active', agent: 'idle' });
  const [id = ''] = await idsOf('second/0');
  await inside('second/0', 'echo kept >/srv/data/kept; sync');
  await world.reboot('second/0');
  await world.until(
    'the volume again',
    async () => (await inside('second/0', 'cat /srv/data/kept')) === 'kept',
  );
  await world.grigri('remove-machine', machine, '--force', '--no-wait', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf(id)) === 'detached');
  await untilNoDevices();
  await world.grigri('add-unit', 'second', '--attach-storage', id);
  await world.untilUnit('second/1', { workload: 'active', agent: 'idle' });
  expect(await inside('second/1', 'cat /srv/data/kept')).toBe('kept');
});

test('a released volume comes back with its size and its data', async () => {
  const [id = ''] = await idsOf('second/1');
  const uuid = world.instances()[0]?.split('/')[0];
  const listed = JSON.parse(await world.grigri('storage', '--filesystem', '--format', 'json')) as Listed;
  const [number] = Object.entries(listed.filesystems ?? {}).find(([, { storage }]) => storage === id) ?? [];
  await world.grigri('remove-application', 'second', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf(id)) === 'detached');
  await world.grigri('remove-storage', '--no-destroy', id);
  await world.until('its release', async () => (await statusOf(id)) === 'gone');
  await world.grigri('import-filesystem', 'local', `${uuid}-${number}`, 'data');
  const [imported = ''] = Object.keys(
    (JSON.parse(await world.grigri('storage', '--format', 'json')) as Listed).storage ?? {},
  );
  await world.grigri('deploy', world.charm('keeper', keeper), 'other', '--attach-storage', imported);
  await world.untilUnit('other/0', { workload: 'active', agent: 'idle' });
  expect(await inside('other/0', 'cat /srv/data/kept')).toBe('kept');
  if (hasLoops) expect(await inside('other/0', 'df --output=fstype /srv/data | tail -1')).toBe('ext4');
  await world.grigri('remove-application', 'other', '--no-prompt', '--destroy-storage');
  await world.until('its end', async () => (await statusOf(imported)) === 'gone');
  await untilNoDevices();
});
