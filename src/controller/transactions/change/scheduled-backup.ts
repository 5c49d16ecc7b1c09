/** What the schedule of backups has come to, in the space of the controller's own model (backups.md#schedule). */
import { scheduleId, type BackupScheduleDoc } from '../../../core/backup-schedule/document.ts';
import { retryAfter, timeAfter } from '../../../core/backup-schedule/schedule.ts';
import { timeOfBackup } from '../../../core/controller/backup.ts';
import { cut, limits } from '../../../core/limits.ts';
import type { Tx } from '../tx.ts';

/** Records a backup of the schedule. A schedule that has ended meanwhile stays so. */
export function recordScheduledBackup(tx: Tx, name: string): void {
  update(tx, (before, now) => {
    const { failure: _failure, ...doc } = before;
    const at = new Date(timeOfBackup(name) ?? now).toISOString();
    return { ...doc, next: new Date(timeAfter(doc, now)).toISOString(), last: { at, name } };
  });
}

/** Records that a backup failed, and when it is tried again. The oldest failures are forgotten. */
export function recordFailedBackup(tx: Tx, reason: string): void {
  const told = cut(limits.backupFailure, reason);
  update(tx, (doc, now) => ({
    ...doc,
    failure: { ...retryAfter(doc, now), since: doc.failure?.since ?? tx.now, reason: told },
    failed: [{ at: tx.now, reason: told }, ...(doc.failed ?? [])].slice(0, limits.failedBackups.max),
  }));
}

/** Counts the times of the schedule again from now, for the clock was set back. */
export function recountSchedule(tx: Tx): void {
  update(tx, (doc, now) => ({
    ...doc,
    next: new Date(timeAfter(doc, now)).toISOString(),
    ...(doc.failure ? { failure: { ...doc.failure, at: tx.now } } : {}),
  }));
}

function update(tx: Tx, change: (doc: BackupScheduleDoc, now: number) => BackupScheduleDoc): void {
  const doc = tx.get('backup-schedule', scheduleId);
  if (doc) tx.put('backup-schedule', scheduleId, change(doc, Date.parse(tx.now)));
}
