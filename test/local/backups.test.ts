/**
 * Backups by schedule on a real controller (backups.md#schedule): killed in the middle of one, restored from a sealed
 * one, and without room.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let folder: string;
/** Small file system for backups. */
let small: string;

beforeAll(async () => {
  world = await startWorld('backups');
  folder = join(world.controllerDir, 'backups');
  small = join(world.dir, 'small');
  const key = join(world.dir, 'backup.pem');
  execFileSync('openssl', ['genpkey', '-algorithm', 'x25519', '-out', key]);
  execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', `${key}.pub`]);
  await world.grigri('deploy', join(root, 'examples/kv'));
  await world.untilUnit('kv/0', { workload: 'active', agent: 'idle' });
});
afterAll(async () => {
  if (existsSync(small)) execFileSync('umount', [small]);
  expect(await world.end()).toEqual([]);
});

interface Listed {
  readonly backups: Readonly<Record<string, { readonly scheduled: boolean; readonly sealed: boolean }>>;
}
async function scheduled(): Promise<string[]> {
  const { backups } = JSON.parse(await world.grigri('backups', '--format', 'json')) as Listed;
  return Object.entries(backups).flatMap(([name, one]) => (one.scheduled && one.sealed ? [name] : []));
}

test('a controller that is killed in the middle of a backup makes it again, and leaves no part of the first', async () => {
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
  mkdirSync(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]);
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
