/** Changes of the schedule of backups, in the space of the controller's own model (backups.md#schedule). */
import { scheduleId, type BackupSchedule } from '../../../core/backup-schedule/document.ts';
import { checkSchedule, firstTime, timeAfter } from '../../../core/backup-schedule/schedule.ts';
import { defined } from '../../../core/defined.ts';
import { notFound, notValid } from '../../../core/errors.ts';
import type { Tx } from '../tx.ts';

/** What is to change; a member that is absent stays. */
export interface ScheduleChange extends Partial<Pick<BackupSchedule, 'every' | 'keep' | 'publicKey'>> {
  /** '' = no time of day. */
  readonly at?: string;
  /** 0 = no limit. */
  readonly keepAge?: number;
  readonly keepSize?: number;
  readonly logs?: boolean;
}

const initialKeep = 7;

/**
 * Begins or changes the schedule. A backup that fails is tried again at once. Errors: `not valid`, also for a new
 * schedule without an interval.
 */
export function setBackupSchedule(tx: Tx, change: ScheduleChange): void {
  const before = tx.get('backup-schedule', scheduleId);
  const every = change.every ?? before?.every;
  if (every === undefined)
    throw notValid('interval of backups not valid: a new schedule needs one, such as 24h');
  const at = (change.at ?? before?.at) || undefined;
  const isSameTime = before?.every === every && before.at === at;
  const schedule: BackupSchedule = {
    every,
    keep: change.keep ?? before?.keep ?? initialKeep,
    since: isSameTime ? before.since : tx.now,
    ...defined({
      at,
      keepAge: (change.keepAge ?? before?.keepAge) || undefined,
      keepSize: (change.keepSize ?? before?.keepSize) || undefined,
      publicKey: change.publicKey ?? before?.publicKey,
      logs: (change.logs ?? before?.logs) ? (true as const) : undefined,
    }),
  };
  checkSchedule(schedule);
  const now = Date.parse(tx.now);
  const next = before ? timeAfter(schedule, now) : firstTime(schedule, now);
  const isKept = isSameTime && !before.failure;
  tx.put('backup-schedule', scheduleId, {
    ...schedule,
    next: before?.failure ? tx.now : isKept ? before.next : new Date(next).toISOString(),
    ...defined({ last: before?.last, failed: before?.failed }),
  });
}

/** Ends the schedule; its archives stay. Errors: `not found` when there is none. */
export function endBackupSchedule(tx: Tx): void {
  if (!tx.get('backup-schedule', scheduleId)) throw notFound('schedule', 'backups');
  tx.remove('backup-schedule', scheduleId);
}
