import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Connection } from '../client/connection.ts';
import { call } from '../client/calls.ts';
import { limits } from '../core/limits.ts';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { testController, type TestController } from './controller.ts';
import { knowController, testCli } from './cli.ts';
import { eventually } from './eventually.ts';
import {
  recordFailedBackup,
  recordScheduledBackup,
} from '../controller/transactions/change/scheduled-backup.ts';

const hour = 3600;
let controller: TestController;
let connection: Connection;
let folder: string;
beforeAll(async () => {
  controller = await testController(createSimulatedProvider());
  connection = await controller.connect();
  folder = join(controller.dataDir, 'backups');
});
afterAll(async () => {
  await connection.close();
  await controller[Symbol.asyncDispose]();
});
afterEach(async () => {
  await call(connection, 'BackupArchives', 'EndSchedule', {}).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

const list = () => call(connection, 'BackupArchives', 'List', {});
const remove = async (...ids: string[]) =>
  (await call(connection, 'BackupArchives', 'Remove', { ids })).results.map(({ error }) => error?.message);
const publicKey = Buffer.alloc(32, 9).toString('base64');

/** Puts a file into the folder, as if a backup were there. */
function put(name: string, content = 'x'): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
}

test('archives are listed with what their names tell, the newest first, and other files are not', async () => {
  const own = controller.running().store.read().in('').get('controller', 'self')!.uuid.slice(0, 8);
  put('juju-backup-20260102-030405.tar.gz');
  put(`juju-backup-20260102-030406-scheduled-${own}.tar.zst.sealed`, 'four');
  put('juju-backup-20260102-030407-scheduled-00000000-1.tar.zst');
  put('juju-backup-20260102-030408.tar.zst.x.partial');
  put('notes.txt');
  mkdirSync(join(folder, 'juju-backup-20260102-030409.tar.zst'));
  symlinkSync('/etc/passwd', join(folder, 'juju-backup-20260102-030410.tar.zst'));
  expect(await list()).toEqual({
    folder,
    list: [
      {
        name: 'juju-backup-20260102-030407-scheduled-00000000-1.tar.zst',
        started: '2026-01-02T03:04:07.000Z',
        size: 1,
        sealed: false,
        scheduled: false,
        verified: true,
      },
      {
        name: `juju-backup-20260102-030406-scheduled-${own}.tar.zst.sealed`,
        started: '2026-01-02T03:04:06.000Z',
        size: 4,
        sealed: true,
        scheduled: true,
        verified: true,
      },
      {
        name: 'juju-backup-20260102-030405.tar.gz',
        started: '2026-01-02T03:04:05.000Z',
        size: 1,
        sealed: false,
        scheduled: false,
        verified: false,
      },
    ],
    failed: [],
  });
});

test('the list has a limit, at which the oldest are left out', async () => {
  const { max } = limits.backupsListed;
  for (let n = 0; n <= max; n++) put(`juju-backup-20260102-030405-${String(n).padStart(4, '0')}.tar.zst`);
  const { list: listed } = await list();
  expect([listed.length, listed.at(-1)!.name]).toEqual([max, 'juju-backup-20260102-030405-0001.tar.zst']);
});

test('archives are removed by their names, and nothing else is', async () => {
  put('juju-backup-1.tar.zst');
  put('juju-backup-2.tar.zst');
  put('notes.txt');
  mkdirSync(join(folder, 'juju-backup-3.tar.zst'));
  symlinkSync(join(folder, 'notes.txt'), join(folder, 'juju-backup-4.tar.zst'));
  const path = join(folder, 'juju-backup-2.tar.zst');
  const isNoName = (name: string): string =>
    `name of a backup "${name}" not valid: expected it without its folder`;
  expect(
    await remove(
      'juju-backup-1.tar.zst',
      'juju-backup-1.tar.zst',
      'juju-backup-3.tar.zst',
      'juju-backup-4.tar.zst',
      'notes.txt',
      '..',
      '',
      path,
      '../backups/juju-backup-2.tar.zst',
    ),
  ).toEqual([
    undefined,
    'backup file "juju-backup-1.tar.zst" not found',
    'backup file "juju-backup-3.tar.zst" not found',
    'backup file "juju-backup-4.tar.zst" not found',
    'backup file "notes.txt" not valid: expected one that "backups" lists',
    'backup file ".." not valid: expected one that "backups" lists',
    'backup file "" not valid: expected one that "backups" lists',
    isNoName(path),
    isNoName('../backups/juju-backup-2.tar.zst'),
  ]);
  expect(readdirSync(folder).sort()).toEqual([
    'juju-backup-2.tar.zst',
    'juju-backup-3.tar.zst',
    'juju-backup-4.tar.zst',
    'notes.txt',
  ]);
  await expect(remove(...Array.from({ length: limits.backupsRemoved.max + 1 }, () => 'x'))).rejects.toThrow(
    'backups to remove: 1001 entries exceed the limit of 1000',
  );
});

test('the names of backups to remove are checked before anybody is asked', async () => {
  using cli = testCli();
  await knowController(cli, controller);
  const no = { input: 'n\n' };
  expect((await cli.run('backups remove juju-backup-1.tar.zst ../store.db', no)).stderr).toBe(
    'ERROR name of a backup "../store.db" not valid: expected it without its folder\n',
  );
  expect((await cli.run('backups remove store.db', no)).stderr).toBe(
    'ERROR backup file "store.db" not valid: expected one that "backups" lists\n',
  );
  expect((await cli.run('backups remove juju-backup-1.tar.zst', no)).stderr).toContain('Continue [y/N]?');
});

test('the sizes of archives are told in units that fit', async () => {
  put('juju-backup-20260102-030405.tar.zst', 'x'.repeat(4096));
  put('juju-backup-20260102-030406.tar.zst', 'x'.repeat(3 * 1024 ** 2));
  using cli = testCli();
  await knowController(cli, controller);
  const { stdout } = await cli.run('backups');
  expect(stdout.match(/[\d.]+ (B|KiB|MiB)/g)).toEqual(['3.0 MiB', '4.0 KiB']);
});

test('a schedule makes a sealed backup at once, and a change keeps what it does not name', async () => {
  const set = await call(connection, 'BackupArchives', 'SetSchedule', {
    every: 24 * hour,
    'public-key': publicKey,
    'keep-age': 48 * hour,
  });
  expect(set).toMatchObject({ every: 24 * hour, keep: 7, 'keep-age': 48 * hour, 'public-key': publicKey });
  await eventually(async () =>
    expect((await list()).list).toMatchObject([{ sealed: true, scheduled: true, verified: true }]),
  );
  await eventually(async () => {
    const { schedule } = await call(connection, 'BackupArchives', 'Schedule', {});
    expect(schedule!.last).toBeDefined();
  });
  const changed = await call(connection, 'BackupArchives', 'SetSchedule', {
    at: '03:00',
    'keep-age': 0,
    logs: true,
  });
  expect(changed).toMatchObject({
    every: 24 * hour,
    at: '03:00',
    keep: 7,
    'public-key': publicKey,
    logs: true,
  });
  expect(changed['keep-age']).toBeUndefined();
  expect(changed.next).toMatch(/T03:00:00\.000Z$/);
  await call(connection, 'BackupArchives', 'EndSchedule', {});
  expect(await call(connection, 'BackupArchives', 'Schedule', {})).toEqual({});
  expect((await list()).list).toHaveLength(1);
});

test.each([
  [{}, 'interval of backups not valid: a new schedule needs one, such as 24h'],
  [{ every: 60 }, 'interval of backups not valid: expected 5m to 8784h, in whole minutes'],
  [{ every: 24 * hour, keep: 0 }, 'number of backups that are kept not valid'],
  [{ every: 24 * hour, at: 'noon' }, 'time of day "noon" not valid: expected 00:00 to 23:59, in UTC'],
  [
    { every: 24 * hour, 'public-key': 'AAAA' },
    'recipient of the backup not valid: expected an X25519 public key',
  ],
  [{ every: 24 * hour, 'public-key': 'A'.repeat(3000) }, 'recipient of a backup: '],
])('a schedule with %j is refused', async (change, message) => {
  await expect(call(connection, 'BackupArchives', 'SetSchedule', change)).rejects.toThrow(message);
  expect(await call(connection, 'BackupArchives', 'Schedule', {})).toEqual({});
});

test('a schedule that does not exist cannot be ended', async () => {
  await expect(call(connection, 'BackupArchives', 'EndSchedule', {})).rejects.toThrow(
    'schedule "backups" not found',
  );
});

test('backups that fail are told by the status of the controller’s model, and by the schedule', async () => {
  const { store } = controller.running();
  const model = controller.controllerModel;
  const message = async (): Promise<string> => {
    const inModel = await controller.connect(model);
    const { model: shown } = await call(inModel, 'Client', 'FullStatus', { patterns: [] });
    await inModel.close();
    return shown['model-status'].info;
  };
  await call(connection, 'BackupArchives', 'SetSchedule', { every: 24 * hour, at: '03:00' });
  const usual = await message();
  expect(usual).not.toContain('backup');
  await store.change((tx) => recordFailedBackup(tx.in(model), 'no room'), 'test');
  const trouble = /^backups fail since .*Z: attempt 1 failed, next at .*Z: no room$/;
  expect(await message()).toMatch(trouble);
  const { schedule } = await call(connection, 'BackupArchives', 'Schedule', {});
  expect(schedule?.trouble).toMatch(trouble);
  using cli = testCli();
  await knowController(cli, controller);
  expect((await cli.run('backups')).stdout).toMatch(/^failed: no room  .+ +schedule *$/m);
  expect((await cli.run('show-controller')).stderr).toMatch(/^WARNING backups fail since .*: no room\n$/);
  await store.change((tx) => recordScheduledBackup(tx.in(model), 'juju-backup-1.tar.zst'), 'test');
  expect(await message()).toBe(usual);
  expect((await list()).failed).toMatchObject([{ reason: 'no room' }]);
  for (let n = 0; n < limits.failedBackups.max; n++)
    await store.change((tx) => recordFailedBackup(tx.in(model), `no room ${n}`), 'test');
  await call(connection, 'BackupArchives', 'SetSchedule', { keep: 3 });
  const { failed = [] } = await list();
  expect([failed.length, failed[0]!.reason, failed.at(-1)!.reason]).toEqual([20, 'no room 19', 'no room 0']);
});
