/**
 * Machines of the controller's host, and what a restore does not replace, go along when its data directory becomes
 * another one (backups.md#backup-restore).
 */
import { existsSync } from 'node:fs';
import { lstat, readdir, realpath, rename, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { programsDir } from '../launch/controller-programs.ts';
import { dataPaths } from './data-dir.ts';

/** Errors: a plain Error when the machines cannot move. */
export async function checkMove(from: string, to: string): Promise<void> {
  if ((await realpath(from)) === (await realpath(to)))
    throw new Error(`${from} is the directory to restore in`);
  const [{ machines, settings }, { machines: place }] = [dataPaths(from), dataPaths(to)];
  if (!existsSync(settings) && !existsSync(machines))
    throw new Error(`${from} has neither a controller nor machines`);
  const { dev } = await stat(to);
  for (const path of [from, machines])
    if (existsSync(path) && (await stat(path)).dev !== dev)
      throw new Error(`${path} and ${to} are on different file systems`);
  if (!(await isThere(machines))) return;
  if ((await readdir(place).catch(() => [])).length > 0) throw new Error(`${place} has machines already`);
}

/**
 * Moves backups, logs, audit logs, programs and agents of other architectures to where none are yet, the backups last.
 * What another file system is mounted on stays.
 */
export async function moveFiles(from: string, to: string): Promise<void> {
  const { backups, backupNumbers, logs, agents } = dataPaths('');
  const names = new Set([backups, backupNumbers, logs, agents, programsDir('')]);
  const { dev } = await stat(from);
  const isLast = (name: string): number => Number(name === backups);
  for (const name of (await readdir(from)).sort((a, b) => isLast(a) - isLast(b))) {
    const [path, place] = [join(from, name), join(to, name)];
    if ((!names.has(name) && !/^audit(-.*)?\.log$/.test(name)) || existsSync(place)) continue;
    if ((await lstat(path)).dev === dev) await rename(path, place);
  }
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
