/**
 * Disks and file systems on loop devices of this host, through crashes of the processes that make them
 * (storage.md#loop).
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

/** Returns the devices of disks of machines, those of removed files included. */
function devices(): string[] {
  return execFileSync('losetup', ['--list', '--noheadings', '--output', 'NAME,BACK-FILE'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((line) => line.includes('/storage/loop/volume-'));
}

describe.skipIf(!existsSync('/dev/loop-control'))('loop devices (skipped without /dev/loop-control)', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('loops');
  });
  afterAll(async () => {
    expect(await world.end()).toEqual([]);
    expect(devices()).toEqual([]);
  });

  const keeper = {
    metadata: `storage: ${JSON.stringify({
      disk: { type: 'block', multiple: { range: '0+' } },
      data: { type: 'filesystem', location: '/srv/data', multiple: { range: '0-1' } },
    })}\n`,
    hooks: {
      install: 'status-set active ready',
      'disk-storage-attached':
        'echo "$JUJU_STORAGE_ID $JUJU_STORAGE_KIND $JUJU_STORAGE_LOCATION $(storage-get location)" >>/root/disks',
      'disk-storage-detaching': 'echo "gone $JUJU_STORAGE_ID $JUJU_STORAGE_LOCATION" >>/root/disks',
      'data-storage-attached': 'storage-get location >/root/data',
    },
  };
  const inside = async (unit: string, command: string): Promise<string> =>
    (await world.grigri('ssh', unit, command)).trim();

  interface Listed {
    readonly storage?: Readonly<Record<string, { readonly status: { readonly current: string } }>>;
    readonly volumes?: Readonly<
      Record<
        string,
        {
          readonly 'provider-id': string;
          readonly storage: string;
          readonly attachments: { readonly machines: Readonly<Record<string, { readonly device: string }>> };
          readonly size: number;
        }
      >
    >;
  }
  const listed = async (): Promise<Listed> =>
    JSON.parse((await world.grigri('storage', '--format', 'json')) || '{}') as Listed;
  const statusOf = async (id: string): Promise<string> =>
    (await listed()).storage?.[id]?.status.current ?? 'gone';
  const untilStatus = (id: string, status: string): Promise<void> =>
    world.until(`storage ${id} to be ${status}`, async () => (await statusOf(id)) === status);
  /** Returns the device that the charm was told of. */
  const locationOf = async (id: string): Promise<string> =>
    (await inside('keeper/0', `juju-exec keeper/0 "storage-get -s ${id} location"`)).trim();

  test('a unit has a disk and a file system of the sizes that were asked for', async () => {
    await world.grigri(
      'deploy',
      world.charm('keeper', keeper),
      '--storage',
      'disk=32M',
      '--storage',
      'data=loop,48M',
    );
    await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
    const { volumes = {} } = await listed();
    const disk = volumes['0/0']!;
    const device = `/dev/${disk.attachments.machines['0']!.device}`;
    expect(disk).toMatchObject({ 'provider-id': 'volume-0-0', storage: 'disk/0', size: 32 });
    expect(await inside('keeper/0', 'cat /root/disks')).toBe(`disk/0 block ${device} ${device}`);
    expect(await inside('keeper/0', `blockdev --getsize64 ${device}`)).toBe(String(32 << 20));
    // The machine has only its own device.
    expect(await inside('keeper/0', 'ls /dev | grep loop')).toBe(device.slice('/dev/'.length));

    // The file system is no larger than requested.
    const filled = await inside(
      'keeper/0',
      'dd if=/dev/zero of=/srv/data/all bs=1M 2>&1 | tail -n +1; df --output=fstype,size /srv/data | tail -1',
    );
    expect(filled).toContain('No space left on device');
    expect(filled).toMatch(/ext4 +[34]\d{4}$/);
    await inside('keeper/0', 'rm /srv/data/all; echo hello >/srv/data/first; sync');
    expect(await world.grigri('storage', '--volume')).toMatch(
      /^Machine +Unit +Storage ID +Volume ID +Provider ID +Device +Size +State +Message/m,
    );
  });

  test('a killed agent finds its devices again', async () => {
    const before = await locationOf('disk/0');
    process.kill(world.agentPid('0')!, 'SIGKILL');
    await world.grigri('add-storage', 'keeper/0', 'disk=16M');
    await untilStatus('disk/2', 'attached');
    expect(await locationOf('disk/0')).toBe(before);
    expect(devices()).toHaveLength(3);
    expect(await inside('keeper/0', 'cat /srv/data/first')).toBe('hello');
  });

  test('a disk in use stays until nobody uses it any more', async () => {
    const device = await locationOf('disk/2');
    await inside('keeper/0', `mkfs.ext4 -q ${device}; mkdir -p /mnt/own; mount ${device} /mnt/own`);
    await world.grigri('remove-storage', 'disk/2', '--force');
    await world.until('the reason', async () =>
      (await world.grigri('storage')).includes(`${device}: the device is in use`),
    );
    await inside('keeper/0', 'umount /mnt/own');
    await untilStatus('disk/2', 'gone');
    expect(devices()).toHaveLength(2);
  });

  test('a machine that was killed gets its disks again, with their data', async () => {
    await inside('keeper/0', `echo kept | dd of=${await locationOf('disk/0')} conv=fsync status=none`);
    await world.reboot('0');
    await world.until('the data', async () => (await inside('keeper/0', 'cat /srv/data/first')) === 'hello');
    await world.until(
      'the disk',
      async () => (await inside('keeper/0', `head -c 4 ${await locationOf('disk/0')}`)) === 'kept',
    );
    expect(await statusOf('disk/0')).toBe('attached');
    expect(devices()).toHaveLength(2);
  });

  test('a container has the devices of its own disks only, through its machine’s end', async () => {
    const where = [
      '--to',
      'lxd:0',
      '--constraints',
      'mem=300M',
      '--storage',
      'disk=16M',
      '--storage',
      'data=loop,16M',
    ];
    await world.grigri('deploy', world.charm('keeper', keeper), 'inner', ...where);
    await world.untilUnit('inner/0', { workload: 'active', agent: 'idle' });
    const [, device = ''] = (await inside('inner/0', 'cat /root/disks')).split(' block /dev/');
    expect(await inside('inner/0', 'ls /dev | grep loop')).toBe(device.split(' ')[0]);
    expect(await inside('inner/0', 'df --output=fstype,size /srv/data | tail -1')).toMatch(/^ext4 +1\d{4}$/);
    expect(devices()).toHaveLength(4);
    await inside('inner/0', 'echo within >/srv/data/first; sync');
    await world.reboot('0');
    await world.until('the data', async () => (await inside('inner/0', 'cat /srv/data/first')) === 'within');
    expect(
      await world.attempt(
        'deploy',
        world.charm('keeper', keeper),
        'outer',
        '--to',
        'lxd:0',
        '--storage',
        'data=local,16M',
      ),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('container') as string,
    });
    await world.grigri('remove-application', 'inner', '--no-prompt');
    await world.until(
      'the container to be gone',
      async () => Object.keys((await world.status()).applications).length === 1,
    );
    await world.until('its devices to be gone', () => Promise.resolve(devices().length === 2));
  });

  test('a removed machine leaves no devices, nor does a model that is destroyed', async () => {
    await world.grigri('remove-machine', '0', '--force', '--no-wait', '--no-prompt');
    await world.until('the machine to be gone', () => Promise.resolve(world.instances().length === 0));
    await world.until('its devices to be gone', () => Promise.resolve(devices().length === 0));
    await world.addModel('other');
    const other = world.inModel('other');
    await other.grigri('deploy', world.charm('keeper', keeper), '--storage', 'disk=2,16M');
    await other.untilUnit('keeper/0', { workload: 'active' });
    expect(devices()).toHaveLength(2);
    await world.grigri('destroy-model', 'other', '--no-prompt', '--destroy-storage');
    expect(devices()).toEqual([]);
  });
});
