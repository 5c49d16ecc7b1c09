import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { fullDisk, smallFiles } from '../../kit/full-disk.ts';
import { isDiskFull } from '../../store/sqlite/store-problem.ts';
import { pastValuesMax } from '../../store/sqlite/value-table.ts';
import { dataPaths } from './data-dir.ts';
import { toolsBytes } from './install-tools.ts';

/** Room for those in which a store of an older version is brought to today's format, in bytes. */
const transactions = 16 * 1024 * 1024;

/** Takes room on the disk, as much as there is, which giveRoom gives to others. No zeros: some disks keep none. */
export async function keepRoom(path: string): Promise<void> {
  // What cannot be kept now is kept by the next start.
  await writeFile(path, randomBytes(smallFiles)).catch(() => undefined);
}

export async function giveRoom(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Why a start failed for a full disk: which disk, how much it takes, what to do. Other errors stay as they are. */
export async function withRoomNeeded(dataDir: string, error: unknown): Promise<unknown> {
  if (!isDiskFull(error)) return error;
  const paths = dataPaths(dataDir);
  const isOfStore = (error as NodeJS.ErrnoException).code === undefined;
  const { size } = await stat(paths.store);
  // One that need not be converted would have been opened for reading.
  const converting = isOfStore ? size + Math.min(size, pastValuesMax) + transactions : 0;
  return fullDisk(dataDir, smallFiles + (await toolsBytes(paths.tools)) + converting, error);
}
