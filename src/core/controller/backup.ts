/** Names and descriptions of backups of a controller (backups.md#backup-archive). */
import { notValid, type JujuError } from '../errors.ts';

/** Version of the archive's form: 1 is the first, and no other controller's. */
export const backupFormat = 1;

/** Facts about a backup. Times in RFC 3339, sizes in bytes. */
export interface BackupRecord {
  readonly id: string;
  readonly notes: string;
  readonly started: string;
  readonly finished: string;
  readonly controller: string;
  /** UUID of the controller's own model. */
  readonly model: string;
  readonly machine: string;
  readonly instance: string;
  readonly hostname: string;
  readonly version: string;
  readonly base: string;
}

/** `20260131-235959` for a time in RFC 3339. */
function stamp(time: string): string {
  return time.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

/** ID of a backup of the controller with this model; `n` tells those apart that have one time. */
export function backupId({ started, n }: Pick<ArchiveName, 'n' | 'started'>, model: string): string {
  return `${stamp(started)}${numbered(n)}.${model}`;
}

function numbered(n: number): string {
  return n === 0 ? '' : `-${n}`;
}

/** Archive as its name tells it. */
interface ArchiveName {
  /** RFC 3339, in whole seconds. */
  readonly started: string;
  /** Tells those apart that have one time. */
  readonly n: number;
  readonly isSealed: boolean;
  /** UUID of the controller whose schedule has made the archive; absent = it was made by hand. */
  readonly scheduledBy?: string;
}

export function backupName({ started, n, isSealed, scheduledBy }: ArchiveName): string {
  const by = scheduledBy === undefined ? '' : `-scheduled-${scheduledBy.slice(0, 8)}`;
  return `juju-backup-${stamp(started)}${by}${numbered(n)}.tar.zst${isSealed ? '.sealed' : ''}`;
}

/** Errors: `not valid` when an archive cannot have this name, or the name has a folder before it. */
export function checkBackupName(name: string): void {
  if (name.includes('/'))
    throw notValid(`name of a backup "${name}" not valid: expected it without its folder`);
  if (!isBackupName(name)) throw invalidBackup(name);
}

export function invalidBackup(name: string): JujuError {
  return notValid(`backup file "${name}" not valid: expected one that "backups" lists`);
}

export function isBackupName(name: string): boolean {
  return /^juju-backup-[\w.-]{1,100}\.tar\.(gz|zst)(\.sealed)?$/.test(name);
}

/** Whether the schedule of the controller, by default of any, has made the archive of this name. */
export function isScheduledBackup(name: string, controller = ''): boolean {
  return name.slice(27).startsWith(`-scheduled-${controller.slice(0, 8)}`);
}

/** When the backup of this name was started, in milliseconds since 1970; undefined when the name does not tell it. */
export function timeOfBackup(name: string): number | undefined {
  const parts = /^juju-backup-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\b/.exec(name)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [year, month, ...rest] = parts as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, ...rest);
}

/** The file `metadata.json` in an archive, with Juju's names. */
export function backupMetadata(record: BackupRecord): Record<string, unknown> {
  return {
    ID: record.id,
    FormatVersion: backupFormat,
    Started: record.started,
    Finished: record.finished,
    Notes: record.notes,
    ModelUUID: record.model,
    Machine: record.machine,
    Hostname: record.hostname,
    Version: record.version,
    Base: record.base,
    ControllerUUID: record.controller,
    HANodes: 1,
    ControllerMachineID: record.machine,
    ControllerMachineInstanceID: record.instance,
  };
}
