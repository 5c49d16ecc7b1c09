import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import type { Retry } from '../retry.ts';
import { describeSchedule } from './words.ts';

/** How often backups are made by themselves, and which of them are kept (backups.md#schedule). */
export interface BackupSchedule {
  /** Milliseconds from one to the next. */
  readonly every: number;
  /** Time of day in UTC from which the interval is counted: `03:00`; absent = from `since`. */
  readonly at?: string;
  /** Largest number of archives that are kept. */
  readonly keep: number;
  /** Age in milliseconds after which an archive goes; absent = never. */
  readonly keepAge?: number;
  /** Bytes that the archives may have together; absent = any. */
  readonly keepSize?: number;
  /** Raw X25519 key in base64 that archives are sealed for; absent = they are not sealed. */
  readonly publicKey?: string;
  /** Set when logs are in the archives. */
  readonly logs?: true;
  /** RFC 3339: when the interval was set. */
  readonly since: string;
}

/** Schedule of the controller's backups, and how far it is. Space of the controller's own model; id = `self`. */
export interface BackupScheduleDoc extends BackupSchedule {
  /** RFC 3339: the next backup is due. */
  readonly next: string;
  /** The newest backup of the schedule, and when it was started. */
  readonly last?: { readonly at: string; readonly name: string };
  /** Set while backups fail. */
  readonly failure?: BackupFailure;
  /** Attempts that failed, the newest first. */
  readonly failed?: readonly FailedBackup[];
}

interface FailedBackup {
  /** RFC 3339. */
  readonly at: string;
  readonly reason: string;
}

/** The newest failure in a row, and the next attempt. */
interface BackupFailure extends Retry {
  /** RFC 3339: the first failure in a row. */
  readonly since: string;
  readonly reason: string;
}

export const scheduleId = 'self';

export const backupSchedule = defineKind<BackupScheduleDoc>()({
  space: 'model',
  idOf: () => scheduleId,
  quota: {
    name: () => 'the schedule of backups',
    measures: [
      { limit: limits.backupFailure, of: ({ failure }) => failure?.reason },
      { limit: limits.failedBackups, of: ({ failed }) => failed },
    ],
  },
  // A full model's backups are told, too.
  upkeep: 'old',
  describe: describeSchedule,
});
