/** Volumes of the host by their files alone: with and without loop devices, and from one to the other. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocks } from '../../../kit/locks.ts';
import type { OpenParams, VolumeSource } from '../../contract/provider.ts';
import { createVolumes, volumesFolder, type VolumesMachine } from './volumes.ts';

const never = new AbortController().signal;
let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'grigri-volumes-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

interface Setup {
  readonly loops: boolean;
  readonly modelUuid?: string;
  readonly machines?: Readonly<Record<string, VolumesMachine>>;
}

function source({ loops, modelUuid = 'm', machines = {} }: Setup): VolumeSource {
  const open = { stateDir, modelUuid, controllerUuid: 'c' } as OpenParams;
  mkdirSync(volumesFolder(open), { recursive: true });
  return createVolumes({
    open,
    loops,
    locks: createLocks(),
    machine: (id) => Promise.resolve(machines[id]),
    prepare: () => Promise.resolve(),
  });
}

/** Returns the folder that only the machine sees. */
function own(name: string): string {
  const folder = join(stateDir, name);
  mkdirSync(folder);
  return folder;
}

const request = { id: '3', size: 32, config: {}, tags: {} };
const lack = 'a folder without a size of its own: the host has no loop devices for it';

test('a volume without loop devices is a folder, and says what it lacks', async () => {
  const volumes = source({ loops: false });
  expect(await volumes.create(request, never)).toMatchObject({ id: '3', size: 32, lack });
  expect(await volumes.list(never)).toMatchObject([{ id: '3', lack }]);
  expect(readdirSync(volumesFolder({ stateDir, modelUuid: 'm' }))).toEqual(['3']);
});

describe.skipIf(!existsSync('/dev/loop-control'))('files (skipped without /dev/loop-control)', () => {
  const image = (modelUuid = 'm'): string => join(stateDir, modelUuid, 'volume-records/3.img');
  const within = (path: string): string =>
    execFileSync('debugfs', ['-R', `cat ${path}`, image()], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });

  test('a volume is seen by the machine that it is attached to only', async () => {
    const [one, two] = [own('one'), own('two')];
    const volumes = source({
      loops: true,
      machines: { 'i-1': { ownVolumes: one }, 'i-2': { ownVolumes: two } },
    });
    expect(await volumes.create(request, never)).not.toHaveProperty('lack');
    expect(statSync(image()).size).toBe(32 << 20);
    const at = { id: '3', path: '', readOnly: false };
    for (let n = 0; n < 2; n++) await volumes.attach({ ...at, instanceId: 'i-1' }, never);
    expect([readdirSync(one), readdirSync(two)]).toEqual([['3'], []]);
    await expect(volumes.attach({ ...at, instanceId: 'i-2' }, never)).rejects.toThrow('detach it first');
    await volumes.detach({ id: '3', instanceId: 'i-1' }, never);
    await volumes.attach({ ...at, instanceId: 'i-2' }, never);
    expect([readdirSync(one), readdirSync(two)]).toEqual([[], ['3']]);
    expect(statSync(join(two, '3')).ino).toBe(statSync(image()).ino);
  });

  test('a machine that an earlier version started sees a new volume among those of the model', async () => {
    const volumes = source({ loops: true, machines: { 'i-1': {} } });
    await volumes.create(request, never);
    await volumes.attach({ id: '3', path: '', readOnly: false, instanceId: 'i-1' }, never);
    const folder = volumesFolder({ stateDir, modelUuid: 'm' });
    expect(readdirSync(folder)).toEqual(['3']);
    await volumes.detach({ id: '3', instanceId: 'i-1' }, never);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a folder becomes a file when a machine gets it that sees its own volumes only', async () => {
    await source({ loops: false }).create(request, never);
    const folder = join(volumesFolder({ stateDir, modelUuid: 'm' }), '3');
    writeFileSync(join(folder, 'kept'), 'data of before\n');
    // The volume holds more than was requested, which a folder does not prevent.
    writeFileSync(join(folder, 'large'), Buffer.alloc(40 << 20, 1));
    writeFileSync(image(), 'what a crash has left of an earlier attempt');
    const one = own('one');
    const volumes = source({ loops: true, machines: { 'i-1': { ownVolumes: one } } });
    await volumes.attach({ id: '3', path: '', readOnly: false, instanceId: 'i-1' }, never);
    expect(readdirSync(one)).toEqual(['3']);
    expect(within('/kept')).toBe('data of before\n');
    expect(existsSync(folder)).toBe(false);
    const [volume] = await volumes.list(never);
    expect(volume).not.toHaveProperty('lack');
    expect(volume!.size).toBe(statSync(image()).size >> 20);
  });

  test('a released folder comes back as a file with its data', async () => {
    const before = source({ loops: false });
    await before.create(request, never);
    writeFileSync(join(volumesFolder({ stateDir, modelUuid: 'm' }), '3/kept'), 'released\n');
    await before.release!(['3'], never);
    const after = source({ loops: true });
    const taken = { id: '3', providerId: 'm-3', tags: {} };
    for (let n = 0; n < 2; n++) expect(await after.adopt!(taken, never)).toMatchObject({ id: '3' });
    expect(within('/kept')).toBe('released\n');
    await after.release!(['3'], never);
    const other = source({ loops: true, modelUuid: 'other' });
    expect(await other.adopt!(taken, never)).toMatchObject({ size: statSync(image('other')).size >> 20 });
    await other.destroy(['3'], never);
    expect(readdirSync(join(stateDir, 'other/volume-records'))).toEqual([]);
  });

  test('a volume whose creation was interrupted is made anew, and removed without a trace', async () => {
    const volumes = source({ loops: true });
    await volumes.create(request, never);
    const records = join(stateDir, 'm/volume-records');
    const record = JSON.parse(execFileSync('cat', [join(records, '3.json')], { encoding: 'utf8' })) as object;
    writeFileSync(join(records, '3.json'), JSON.stringify({ ...record, unfinished: true }));
    rmSync(image());
    writeFileSync(`${image()}.new`, 'half of one');
    expect(await volumes.list(never)).toHaveLength(1);
    expect(await volumes.create(request, never)).toMatchObject({ id: '3', size: 32 });
    expect(statSync(image()).size).toBe(32 << 20);
    writeFileSync(`${image()}.new`, 'half of one');
    await volumes.destroy(['3'], never);
    expect(readdirSync(records)).toEqual([]);
  });
});
