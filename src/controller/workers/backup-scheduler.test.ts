/** Tests of the schedule of backups (backups.md#schedule), with real files and an archiver that writes little. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { scheduleId, type BackupScheduleDoc } from '../../core/backup-schedule/document.ts';
import { createLog } from '../../kit/log.ts';
import type { ContentStore } from '../../store/contents.ts';
import { openFileBlobs } from '../../store/files/open-file-blobs.ts';
import { openContents } from '../../store/sqlite/open-contents.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import type { ArchiveMade, ArchiveRequest } from '../backups/archive.ts';
import { Backups } from '../backups/backups.ts';
import { acceptRestore, beginRestore, endRestore } from '../transactions/change/restore.ts';
import {
  endBackupSchedule,
  setBackupSchedule,
  type ScheduleChange,
} from '../transactions/set/backup-schedule.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { BackupScheduler } from './backup-scheduler.ts';

const minute = 60_000;
const hour = 60 * minute;
const { signal } = new AbortController();

let model: ModelFixture;
let folder: string;
let contents: ContentStore;
let archiver: (request: ArchiveRequest, signal: AbortSignal) => Promise<ArchiveMade>;
let backups: Backups;
let waits: ManualClock;
let scheduler: BackupScheduler;
let logged: string[];

beforeEach(async () => {
  model = await modelFixture();
  folder = mkdtempSync(join(tmpdir(), 'grigri-scheduler-'));
  for (const name of ['uploads', 'blobs', 'logs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'controller.json'), '{}');
  contents = openContents(join(folder, 'secrets.db'));
  logged = [];
  archiver = async ({ path }) => {
    writeFileSync(path, 'archive');
    return { size: 7, checksum: '' };
  };
  begin();
});
afterEach(async () => {
  scheduler.stop();
  await backups.stop();
  contents.close();
  await model[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Lets time pass, and what waits for it go on. */
async function elapse(ms: number): Promise<void> {
  model.advance(ms);
  waits.advance(ms);
  await new Promise(setImmediate);
}

/** Begins as a controller does that starts. */
function begin(): void {
  waits = new ManualClock(model.now());
  const clock = { now: model.now, sleep: waits.sleep.bind(waits) };
  backups = new Backups({
    store: model.store,
    contents,
    blobs: openFileBlobs(join(folder, 'blobs')),
    clock,
    version: '1',
    startArchiver: (ended) => ({
      make: (request) => archiver(request, ended),
      [Symbol.dispose]: () => undefined,
    }),
    settings: join(folder, 'controller.json'),
    logsDir: join(folder, 'logs'),
    blobsDir: join(folder, 'blobs'),
    uploadsDir: join(folder, 'uploads'),
    numbers: join(folder, 'backup-numbers.json'),
    folder: join(folder, 'backups'),
  });
  const services = {
    backups,
    clock,
    dispatch: createDispatch(model.store, indexes),
    log: createLog('test', ({ message }) => void logged.push(message), model.now),
  };
  scheduler = new BackupScheduler({ store: model.store, services, wake: () => undefined });
}

const controllerModel = (): string => model.store.read().in('').get('controller', 'self')!.modelUuid;
const schedule = (): BackupScheduleDoc | undefined =>
  model.store.read().in(controllerModel()).get('backup-schedule', scheduleId);
const set = (change: ScheduleChange): Promise<void> =>
  model.store.change((tx) => setBackupSchedule(tx.in(controllerModel()), change), 'user-bob');
/** Runs passes until there is nothing to do; returns the wait. */
async function pass(): Promise<number | undefined> {
  for (;;) {
    const wait = await scheduler.pass(signal);
    if (wait !== 0) return wait;
  }
}
const stored = (): string[] => readdirSync(join(folder, 'backups')).sort();
const nameAt = (time: string): RegExp =>
  new RegExp(`^juju-backup-20260101-${time}-scheduled-[0-9a-f]{8}\\.tar\\.zst$`);

test('without a schedule nothing is made', async () => {
  expect(await pass()).toBeUndefined();
  expect(stored()).toEqual([]);
});

test('a schedule makes its first backup at once, and one each time, however long the controller was down', async () => {
  await set({ every: hour });
  expect(await pass()).toBe(10 * minute);
  expect(stored()).toEqual([expect.stringMatching(nameAt('000000'))]);
  model.advance(hour - 1);
  expect(await pass()).toBe(1);
  expect(stored()).toHaveLength(1);
  model.advance(7 * hour);
  expect(await pass()).toBe(1);
  expect(stored()).toEqual([
    expect.stringMatching(nameAt('000000')),
    expect.stringMatching(nameAt('075959')),
  ]);
  expect(schedule()).toMatchObject({ next: '2026-01-01T08:00:00.000Z', last: { name: stored()[1] } });
});

test('a clock that is set back for a year delays backups by one interval at most', async () => {
  await set({ every: hour });
  await pass();
  model.advance(-365 * 24 * hour);
  expect(await pass()).toBeLessThanOrEqual(hour);
  expect(schedule()?.next).toBe('2025-01-01T01:00:00.000Z');
  expect(stored()).toHaveLength(1);
  model.advance(hour);
  await pass();
  expect(stored()).toHaveLength(2);
});

test('an older backup is removed only when a new one was made', async () => {
  await set({ every: hour, keep: 2 });
  for (let n = 0; n < 3; n++) {
    await pass();
    model.advance(hour);
  }
  const kept = stored();
  expect(kept).toEqual([expect.stringMatching(nameAt('010000')), expect.stringMatching(nameAt('020000'))]);
  await set({ keep: 1 });
  archiver = async () => {
    throw new Error('the disk has changed a byte');
  };
  await pass();
  expect(stored()).toEqual(kept);
  expect(schedule()?.failure).toMatchObject({ attempt: 1, reason: 'the disk has changed a byte' });
});

test('a restored schedule removes no backup before the restore was accepted', async () => {
  await set({ every: hour, keep: 1 });
  await pass();
  const restore = { id: 'r-1', backup: '2026-01-01T00:00:00Z', at: '2026-01-01T00:30:00Z' };
  await model.store.change((tx) => beginRestore(tx, restore), 'test');
  model.advance(hour);
  await pass();
  expect(stored()).toHaveLength(2);
  await model.store.change((tx) => {
    const controller = tx.in(controllerModel());
    acceptRestore(controller, { restore: 'r-1', hooks: 'keep' });
    endRestore(controller);
  }, 'test');
  model.advance(hour);
  await pass();
  expect(stored()).toEqual([expect.stringMatching(nameAt('020000'))]);
});

test('backups that are made by hand, or by other controllers, are never removed', async () => {
  await set({ every: hour, keep: 1 });
  await backups.create({ notes: '' });
  writeFileSync(join(folder, 'backups', 'juju-backup-20200101-000000-scheduled-deadbeef.tar.zst'), 'x');
  await pass();
  model.advance(hour);
  await pass();
  expect(stored()).toEqual([
    'juju-backup-20200101-000000-scheduled-deadbeef.tar.zst',
    'juju-backup-20260101-000000.tar.zst',
    expect.stringMatching(nameAt('010000')),
  ]);
});

test('a backup does not replace one that another controller has made in the same second meanwhile', async () => {
  archiver = async ({ path }) => {
    writeFileSync(path, 'archive');
    writeFileSync(path.replace(/\.zst\..*/, '.zst'), 'of another');
    return { size: 7, checksum: '' };
  };
  const { path } = await backups.create({ notes: '' });
  expect(path).toBe(join(folder, 'backups', 'juju-backup-20260101-000000-1.tar.zst'));
  expect(stored().map((name) => readFileSync(join(folder, 'backups', name), 'utf8'))).toEqual([
    'archive',
    'of another',
  ]);
});

test('backups that begin in the same second have different IDs and names, also when the first is gone', async () => {
  const made = [];
  for (let n = 0; n < 3; n++) {
    const { id, path } = await backups.create({ notes: '' });
    made.push({ id, path });
    rmSync(path);
  }
  model.advance(1000);
  made.push(await backups.create({ notes: '' }));
  const uuid = controllerModel();
  expect(made.map(({ id }) => id)).toEqual(
    ['000000', '000000-1', '000000-2', '000001'].map((time) => `20260101-${time}.${uuid}`),
  );
  expect(made.map(({ path }) => path.replace(/^.*-backup-/, ''))).toEqual(
    ['000000', '000000-1', '000000-2', '000001'].map((time) => `20260101-${time}.tar.zst`),
  );
});

test('a download removes a backup that was made by hand, and none that the schedule of any controller has made', async () => {
  await set({ every: hour });
  await pass();
  await backups.create({ notes: '' });
  const another = 'juju-backup-20200101-000000-scheduled-deadbeef-1.tar.zst.sealed';
  writeFileSync(join(folder, 'backups', another), 'x');
  for (const name of stored()) await backups.archives.received(name);
  expect(stored()).toEqual([another, expect.stringMatching(nameAt('000000'))]);
});

test('a backup that was sent to a client which does not tell whether it has it is removed an hour after the last time', async () => {
  await backups.create({ notes: '' });
  const path = join(folder, 'backups', stored()[0]!);
  const removed = backups.sent(path);
  await elapse(hour - minute);
  await backups.sent(path);
  await elapse(2 * minute);
  expect(existsSync(path)).toBe(true);
  await elapse(hour);
  await removed;
  expect(stored()).toEqual([]);
});

test('a backup that was sent stays when the controller ends within the hour', async () => {
  await backups.create({ notes: '' });
  const removed = backups.sent(join(folder, 'backups', stored()[0]!));
  await backups.stop();
  await expect(removed).rejects.toThrow('the controller stops');
  expect(stored()).toHaveLength(1);
});

test('a backup that fails is tried again later each time, and at once when the schedule is changed', async () => {
  const works = archiver;
  archiver = async () => {
    throw new Error('no room');
  };
  await set({ every: 24 * hour });
  expect(await pass()).toBe(minute);
  model.advance(minute);
  expect(await pass()).toBe(2 * minute);
  expect(schedule()?.failure).toMatchObject({ attempt: 2, since: '2026-01-01T00:00:00.000Z' });
  archiver = works;
  await set({ keep: 3 });
  await pass();
  expect(stored()).toHaveLength(1);
  expect(schedule()?.failure).toBeUndefined();
  expect(readdirSync(join(folder, 'uploads'))).toEqual([]);
});

test('what a killed controller left is swept at the start, also without a schedule, and not that of others', async () => {
  const { uuid } = model.store.read().in('').get('controller', 'self')!;
  mkdirSync(join(folder, 'backups'));
  for (const owner of [uuid, 'another'])
    writeFileSync(join(folder, 'backups', `juju-backup-1.tar.zst.${owner}.partial`), '');
  await pass();
  expect(stored()).toEqual(['juju-backup-1.tar.zst.another.partial']);
});

test('no two backups have one ID, however the clock is set, and also when the controller was started anew', async () => {
  const ids: string[] = [];
  const later = [0, 0, 1000, 0, -1000, -1000, 500, 2000, -2000];
  for (const ms of later) {
    model.advance(ms);
    scheduler.stop();
    begin();
    ids.push((await backups.create({ notes: '' })).id.split('.')[0]!);
    for (const name of stored()) rmSync(join(folder, 'backups', name));
  }
  expect(ids).toEqual([
    '20260101-000000',
    '20260101-000000-1',
    '20260101-000001',
    '20260101-000001-2',
    '20260101-000000-3',
    '20251231-235959-4',
    '20251231-235959-5',
    '20260101-000001-6',
    '20251231-235959-7',
  ]);
});

test('a backup that was made before the controller was killed is not made twice', async () => {
  await set({ every: hour });
  const due = schedule()!;
  await pass();
  await model.store.change((tx) => tx.in(controllerModel()).put('backup-schedule', scheduleId, due), 'test');
  scheduler.stop();
  begin();
  model.advance(minute);
  await pass();
  expect(stored()).toHaveLength(1);
  expect(schedule()).toMatchObject({ last: { name: stored()[0] }, next: '2026-01-01T01:00:00.000Z' });
});

test('a backup that was made before the controller was killed does not stand for one that is due later', async () => {
  await set({ every: hour });
  const due = schedule()!;
  await pass();
  const forget = (): Promise<void> =>
    model.store.change((tx) => tx.in(controllerModel()).put('backup-schedule', scheduleId, due), 'test');
  await forget();
  model.advance(5 * hour + minute);
  await pass();
  expect(stored()).toHaveLength(2);
  await forget();
  model.advance(minute);
  await pass();
  expect(stored()).toHaveLength(2);
  expect(schedule()?.last).toEqual({ at: '2026-01-01T05:01:00.000Z', name: stored()[1] });
});

test('a backup of the schedule waits for one that is made by hand', async () => {
  await set({ every: hour });
  const byHand = backups.create({ notes: '' });
  await pass();
  await byHand;
  expect(stored()).toHaveLength(2);
  expect(schedule()?.failure).toBeUndefined();
});

test('a controller that stops during a backup records no failure', async () => {
  await set({ every: hour });
  let begun = (): void => undefined;
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  archiver = (_, ended) =>
    new Promise((_resolve, reject) => {
      ended.addEventListener('abort', () => reject(ended.reason as Error));
      begun();
    });
  const stopping = new AbortController();
  const passed = scheduler.pass(stopping.signal);
  await isBegun;
  stopping.abort(new Error('stopped'));
  await backups.stop();
  await expect(passed).rejects.toThrow('stopped');
  expect(schedule()?.failure).toBeUndefined();
  expect(stored()).toEqual([]);
});

test('the history tells who set the schedule, what it made and why it failed', async () => {
  const { describeChange } = await import('../../core/history/describe-change.ts');
  await set({ every: hour });
  await pass();
  archiver = async () => {
    throw new Error('no room');
  };
  model.advance(hour);
  await pass();
  await set({ every: 2 * hour });
  await model.store.change((tx) => endBackupSchedule(tx.in(controllerModel())), 'user-bob');
  const told = [...model.store.past({ space: controllerModel() })].flatMap((commit) =>
    commit
      .changes(10)
      .flatMap((change) => describeChange(change as never, {} as never))
      .filter(({ subject }) => subject === 'backups')
      .map(({ what, detail }) => `${commit.by}: ${what} ${detail}`.trimEnd()),
  );
  expect(told.sort()).toEqual([
    expect.stringMatching(/^backup-scheduler: failed: no room attempt 1$/),
    expect.stringMatching(/^backup-scheduler: made by schedule juju-backup-/),
    'user-bob: no longer scheduled',
    'user-bob: schedule changed: every 2h, keeps 7, not sealed',
    'user-bob: scheduled every 1h, keeps 7, not sealed',
  ]);
});
