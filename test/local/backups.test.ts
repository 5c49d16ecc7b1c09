/**
 * Backups by schedule on a real controller (backups.md#schedule): killed in the middle of one, restored from a sealed
 * one, and without room.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statfsSync, statSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorText } from '../../src/kit/system-error.ts';
import { restoreOffline } from '../../src/main/controller/restore.ts';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let folder: string;
/** All small file systems, which are unmounted at the end. */
const mounted: string[] = [];

/** Mounts a small file system in memory. Returns its folder. */
function mount(name: string, options: string): string {
  const path = join(world.dir, name);
  mkdirSync(path);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  mounted.push(path);
  return path;
}

beforeAll(async () => {
  world = await startWorld('backups');
  folder = join(world.controllerDir, 'backups');
  const key = join(world.dir, 'backup.pem');
  execFileSync('openssl', ['genpkey', '-algorithm', 'x25519', '-out', key]);
  execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', `${key}.pub`]);
  await world.grigri('deploy', join(root, 'examples/kv'));
  await world.untilUnit('kv/0', { workload: 'active', agent: 'idle' });
});
afterAll(async () => {
  for (const path of mounted) execFileSync('umount', [path]);
  expect(await world.end()).toEqual([]);
});

interface Listed {
  readonly backups: Readonly<Record<string, { readonly scheduled: boolean; readonly sealed: boolean }>>;
}
async function scheduled(): Promise<string[]> {
  const { backups } = JSON.parse(await world.grigri('backups', '--format', 'json')) as Listed;
  return Object.entries(backups).flatMap(([name, one]) => (one.scheduled && one.sealed ? [name] : []));
}

/** Makes a model with a charm of 64 MiB, so that a backup takes long enough to be interrupted. */
async function addLargeModel(): Promise<void> {
  const charm = join(world.dir, 'large');
  mkdirSync(join(charm, 'hooks'), { recursive: true });
  writeFileSync(join(charm, 'metadata.yaml'), 'name: large\nsummary: Large\ndescription: Large\n');
  writeFileSync(join(charm, 'data'), randomBytes(64 * 2 ** 20));
  const bundle = join(world.dir, 'large.yaml');
  writeFileSync(bundle, 'applications: {large: {charm: ./large, num_units: 0}}\n');
  await world.grigri('add-model', 'large', '--no-switch');
  await world.grigri('deploy', '-m', 'large', bundle);
}

test('a controller that is killed in the middle of a backup makes it again, and leaves no part of the first', async () => {
  await addLargeModel();
  mkdirSync(folder, { recursive: true });
  const begun = new Promise<void>((resolve) => {
    const watcher = watch(folder, (_, name) => {
      if (!name?.endsWith('.partial')) return;
      world.killController();
      watcher.close();
      resolve();
    });
  });
  const key = join(world.dir, 'backup.pem.pub');
  await world.attempt('backups', 'schedule', '--every', '24h', '--keep', '2', '--public-key', key);
  await begun;
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.partial$/)]);
  await world.until('a backup', async () => (await scheduled()).length > 0);
  expect(readdirSync(folder)).toEqual(await scheduled());
  // The controller keeps its program in that folder for a moment, too.
  const uploads = join(world.controllerDir, 'uploads');
  await world.until('the uploads to be empty', () => Promise.resolve(readdirSync(uploads).length === 0));
  await world.grigri('destroy-model', '--no-prompt', 'large');
});

test('a backup of the schedule is restored, with the schedule, which knows the backup by its name', async () => {
  const [name] = await scheduled();
  await world.grigri('add-model', 'later', '--no-switch');
  world.killController();
  const archive = join(folder, name!);
  const key = join(world.dir, 'backup.pem');
  await world.grigri('restore-backup', '--data-dir', world.controllerDir, '--private-key', key, archive);
  await world.grigri('accept-restore', '--no-prompt');
  expect(await world.grigri('models')).not.toContain('later');
  await world.untilUnit('kv/0', { workload: 'active', agent: 'idle' });
  await world.until('the schedule', async () => {
    const shown = JSON.parse(await world.grigri('backups', 'schedule', '--format', 'json')) as {
      last?: string;
    };
    return shown.last !== undefined;
  });
  expect(await scheduled()).toEqual([name]);
});

test('a backup without room fails, is told, and leaves the earlier ones', async () => {
  const small = mount('small', 'size=64k');
  const earlier = 'juju-backup-20260101-000000.tar.zst';
  writeFileSync(join(small, earlier), 'x');
  await world.grigri('model-config', '-m', 'controller', `backup-dir=${small}`);
  await world.grigri('backups', 'schedule', '--off');
  await world.grigri('backups', 'schedule', '--every', '24h');
  const trouble = `not enough free space in "${small}"`;
  await world.until('the failure', async () =>
    (await world.grigri('status', '-m', 'controller')).includes(trouble),
  );
  const { stderr } = await world.attempt('backups');
  expect(stderr).toMatch(
    /^WARNING backups fail since .*: attempt \d+ failed, next at .*: not enough free space/m,
  );
  expect(readdirSync(small)).toEqual([earlier]);
  await world.grigri('model-config', '-m', 'controller', '--reset', 'backup-dir');
  await world.grigri('backups', 'schedule', '--keep', '3');
  await world.until('a backup', async () => !(await world.attempt('backups')).stderr.includes('WARNING'));
  expect(await world.grigri('status', '-m', 'controller')).not.toContain('backups fail');
});

test('a backup that the disk of the client has no room for stays on the controller, and is downloaded to another', async () => {
  const full = mount('disk-of-client', 'size=8k');
  const file = join(full, 'mine.tar.zst');
  const { code, stderr } = await world.attempt('create-backup', '--filename', file);
  expect(code).toBe(1);
  const said =
    /^ERROR cannot write (.+): not enough free space in "(.+)"; want \d+MiB, have 0MiB\n(.+): grigri (.+)\n$/.exec(
      stderr,
    );
  expect(said?.slice(1, 4)).toEqual([file, full, 'The backup is still on the controller; this downloads it']);
  expect(readdirSync(full)).toEqual([]);
  const elsewhere = join(world.dir, 'elsewhere.tar.zst');
  const again = said![4]!.replace('FILE', elsewhere).split(' ');
  expect(readdirSync(folder)).toContain(again.at(-1));
  await world.grigri(...again);
  expect(readdirSync(folder)).not.toContain(again.at(-1));
  expect(statSync(elsewhere).size).toBeGreaterThan(8192);
});

test('a restore on a disk without room says how much it needs and where, and changes nothing', async () => {
  const archive = join(world.dir, 'elsewhere.tar.zst');
  const full = mount('disk-of-host', 'size=1m');
  const { code, stderr } = await world.attempt('restore-backup', '--data-dir', join(full, 'data'), archive);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^ERROR not enough free space in ".*\/disk-of-host\/data"; want \d+MiB, have 0MiB\n$/,
  );
  expect(readdirSync(join(full, 'data'))).toEqual([]);
});

test('a restore for which the disk has no room at any of its steps tells that, and leaves the controller that was there', async () => {
  const archive = join(world.dir, 'elsewhere.tar.zst');
  const full = mount('disk-of-few-files', 'size=256m');
  await restoreOffline(full, { archive });
  const state = (): unknown =>
    ['store.db', 'secrets.db', 'controller.json', 'restored.json'].map(
      (name) => statSync(join(full, name)).ino,
    );
  const [before, { files, ffree }] = [state(), statfsSync(full)];
  let refused = 0;
  for (; ; refused++) {
    execFileSync('mount', ['-o', `remount,nr_inodes=${files - ffree + refused}`, full]);
    try {
      await restoreOffline(full, { archive });
      break;
    } catch (error) {
      expect(errorText(error), `${refused} more files`).toContain('no space left on device');
      expect(state(), `${refused} more files`).toEqual(before);
      expect(readdirSync(full).filter((name) => /^(before-)?restore-/.test(name))).toEqual([]);
    }
  }
  expect(refused).toBeGreaterThan(5);
  expect(readdirSync(full)).toContain('before-restore-1');
});
