/** Machines of the controller's host go along when its data directory becomes another one (backups.md#backup-restore). */
import { existsSync } from 'node:fs';
import { lstat, readdir, realpath, rename, stat, symlink } from 'node:fs/promises';
import { dataPaths } from './data-dir.ts';

/** Errors: a plain Error when the machines cannot move. */
export async function checkMove(from: string, to: string): Promise<void> {
  if ((await realpath(from)) === (await realpath(to)))
    throw new Error(`${from} is the directory to restore in`);
  const [{ machines, settings }, { machines: place }] = [dataPaths(from), dataPaths(to)];
  if (!existsSync(settings) && !existsSync(machines))
    throw new Error(`${from} has neither a controller nor machines`);
  if (!(await isThere(machines))) return;
  if ((await readdir(place).catch(() => [])).length > 0) throw new Error(`${place} has machines already`);
  if ((await stat(machines)).dev !== (await stat(to)).dev)
    throw new Error(`${machines} and ${to} are on different file systems`);
}

/**
 * Moves the machines' folder, which a repeated call finds moved. The machines run on: they have their files open, and a
 * link at the old place leads the paths that they know to the new one.
 */
export async function moveMachines(from: string, to: string): Promise<void> {
  const [machines, place] = [dataPaths(from).machines, dataPaths(to).machines];
  if (await isThere(machines)) await rename(machines, place);
  const exists = await lstat(machines).catch(() => undefined);
  if (!exists && (await isThere(place))) await symlink(place, machines);
}

/** Whether the folder is there itself, not a link to where it has moved. */
async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}
