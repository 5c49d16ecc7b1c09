import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { fullDisk, smallFiles } from '../../kit/full-disk.ts';
import { isDiskFull } from '../../store/sqlite/store-problem.ts';
import { pastValuesMax } from '../../store/sqlite/value-table.ts';
import { dataPaths } from './data-dir.ts';
import { toolsBytes } from './install-tools.ts';

/** Size in bytes of the transactions that convert an older store to today's format. */
const transactions = 16 * 1024 * 1024;

/**
 * Reserves space on the disk, as much as is available, which giveRoom frees. Random data is written, because some file
 * systems store no zeros.
 */
export async function keepRoom(path: string): Promise<void> {
  // A failed reservation is retried by the next start.
  await writeFile(path, randomBytes(smallFiles)).catch(() => undefined);
}

export async function giveRoom(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Adds to a disk-full error the disk, the space needed and the remedy. Other errors are returned unchanged. */
export async function withRoomNeeded(dataDir: string, error: unknown): Promise<unknown> {
  if (!isDiskFull(error)) return error;
  const paths = dataPaths(dataDir);
  const isOfStore = (error as NodeJS.ErrnoException).code === undefined;
  const { size } = await stat(paths.store);
  // A store that needs no conversion would have been opened for reading; one that does is copied first.
  const converting = isOfStore ? 2 * size + Math.min(size, pastValuesMax) + transactions : 0;
  return fullDisk(dataDir, smallFiles + (await toolsBytes(paths.tools)) + converting, error);
}
