/** Names and descriptions of backups of a controller (backups.md#backup-archive). */

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

export function backupId(started: string, model: string): string {
  return `${stamp(started)}.${model}`;
}

/** Name of the archive; `n` tells those of one second apart. */
export function backupName(started: string, n: number, isSealed = false): string {
  return `juju-backup-${stamp(started)}${n === 0 ? '' : `-${n}`}.tar.zst${isSealed ? '.sealed' : ''}`;
}

export function isBackupName(name: string): boolean {
  return /^juju-backup-[\w.-]{1,100}\.tar\.(gz|zst)(\.sealed)?$/.test(name);
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
