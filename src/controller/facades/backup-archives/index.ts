import { scheduleId, type BackupScheduleDoc } from '../../../core/backup-schedule/document.ts';
import { scheduleTrouble } from '../../../core/backup-schedule/schedule.ts';
import { defined } from '../../../core/defined.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { backupArchives as spec } from '../../../wire/facades/backup-archives.ts';
import { checkRecipient } from '../../backups/check-recipient.ts';
import { backupsOf } from '../../backups/of-controller.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import {
  endBackupSchedule,
  setBackupSchedule,
  type ScheduleChange,
} from '../../transactions/set/backup-schedule.ts';
import type { Tx } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';

export const backupArchives = {
  EndSchedule: { needs: 'superuser', run: end },
  List: { needs: 'superuser', run: list },
  Remove: { needs: 'superuser', run: remove },
  Schedule: { needs: 'superuser', run: schedule },
  SetSchedule: { needs: 'superuser', run: set },
} satisfies FacadeTable<typeof spec>;

async function list(call: Call): Promise<ResultOf<typeof spec, 'List'>> {
  const { archives } = backupsOf(call.services);
  return {
    folder: await archives.path(),
    list: (await archives.list()).map(({ name, time, bytes, isScheduled }) => ({
      name,
      started: new Date(time).toISOString(),
      size: bytes,
      sealed: name.endsWith('.sealed'),
      scheduled: isScheduled,
      verified: !name.includes('.tar.gz'),
    })),
    failed: [...(scheduleOf(call)?.failed ?? [])],
  };
}

async function remove(
  call: Call,
  { ids }: ParamsOf<typeof spec, 'Remove'>,
): Promise<ResultOf<typeof spec, 'Remove'>> {
  const { archives } = backupsOf(call.services);
  checkLimit(limits.backupsRemoved, ids.length);
  const results = await bulk(call, ids, async (name) => {
    await archives.remove(name);
    call.services.log.info('a backup was removed', { by: call.by, name });
    return {};
  });
  return { results };
}

function schedule(call: Call): ResultOf<typeof spec, 'Schedule'> {
  const doc = scheduleOf(call);
  return defined({ schedule: doc && shown(call, doc) });
}

async function set(
  call: Call,
  { every, keep, at, logs, ...given }: ParamsOf<typeof spec, 'SetSchedule'>,
): Promise<ResultOf<typeof spec, 'SetSchedule'>> {
  const publicKey = given['public-key'];
  if (publicKey !== undefined) checkRecipient({ publicKey });
  await backupsOf(call.services).archives.checkWritable();
  const milliseconds = (seconds: number | undefined): number | undefined => seconds && seconds * 1000;
  const change: ScheduleChange = defined({
    every: milliseconds(every),
    at,
    keep,
    keepAge: milliseconds(given['keep-age']),
    keepSize: given['keep-size'],
    publicKey,
    logs,
  });
  await changeSchedule(call, (tx) => setBackupSchedule(tx, change));
  return shown(call, scheduleOf(call)!);
}

async function end(call: Call): Promise<Record<string, never>> {
  await changeSchedule(call, endBackupSchedule);
  return {};
}

async function changeSchedule(call: Call, fn: (tx: Tx) => void): Promise<void> {
  await call.store.change((tx) => fn(tx.in(controllerModel(call))), call.by);
}

const controllerModel = (call: Call): string => call.read().in('').get('controller', 'self')?.modelUuid ?? '';

function scheduleOf(call: Call): BackupScheduleDoc | undefined {
  return call.read().in(controllerModel(call)).get('backup-schedule', scheduleId);
}

function shown(
  call: Call,
  doc: BackupScheduleDoc,
): NonNullable<ResultOf<typeof spec, 'Schedule'>['schedule']> {
  const seconds = (milliseconds: number | undefined): number | undefined =>
    milliseconds && milliseconds / 1000;
  return {
    every: doc.every / 1000,
    keep: doc.keep,
    logs: doc.logs === true,
    next: doc.failure?.at ?? doc.next,
    ...defined({
      at: doc.at,
      'keep-age': seconds(doc.keepAge),
      'keep-size': doc.keepSize,
      'public-key': doc.publicKey,
      last: doc.last?.at,
      trouble: scheduleTrouble(doc, call.services.clock.now()) || undefined,
    }),
  };
}
