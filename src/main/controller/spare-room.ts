import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';

/** Enough for the small files of a start. */
const bytes = 64 * 1024;

/** Takes room on the disk, as much as there is, which giveRoom gives to others. No zeros: some disks keep none. */
export async function keepRoom(path: string): Promise<void> {
  // What cannot be kept now is kept by the next start.
  await writeFile(path, randomBytes(bytes)).catch(() => undefined);
}

export async function giveRoom(path: string): Promise<void> {
  await rm(path, { force: true });
}
