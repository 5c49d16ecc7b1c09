import { statfs } from 'node:fs/promises';
import { JujuError } from '../core/errors.ts';

const MiB = 1024 * 1024;

/** The error of a start for which the disk of a data directory has no room: `needed` in bytes. */
export async function fullDisk(dataDir: string, needed: number, cause: unknown): Promise<Error> {
  const { bavail, bsize } = await statfs(dataDir);
  return new Error(
    `the disk of ${dataDir} is full: a start needs ${inKiB(needed)} there and ${inKiB(bavail * bsize)} are free. Make room ("df" and "grigri store-report --data-dir ${dataDir}" list what takes it), then start the controller again; see docs/reference/store.md`,
    { cause },
  );
}

/** Bytes that suffice for the small files of a start. */
export const smallFiles = 64 * 1024;

function inKiB(bytes: number): string {
  return `${Math.ceil(bytes / 1024).toLocaleString('en')} KiB`;
}

/** Errors: JujuError `` when the disk of a folder has less room than `bytes`. */
export async function checkRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const have = Math.floor((bavail * bsize) / MiB);
  throw new JujuError('', `not enough free space in "${folder}"; want ${inMiB(bytes)}, have ${have}MiB`);
}

/** A size as errors about room tell it, rounded up: `3MiB`. */
export function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / MiB)}MiB`;
}
