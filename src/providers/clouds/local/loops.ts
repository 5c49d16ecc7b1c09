/** Loop devices of machines: they are the host's, so that they stay when a machine has ended (storage.md#loop). */
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { freeLoops, loopsOf } from '../../../kit/loop-devices.ts';
import { containersAt } from './places.ts';
import { plainDataDir } from './plain.ts';
import { isInstanceId } from './record.ts';
import { run } from './run.ts';

/** Detaches the devices of a machine without processes, and of the containers on it. Errors: while one is in use. */
export async function freeMachineLoops(folder: string): Promise<void> {
  for (const file of await disksOf(folder)) await freeLoops(file);
}

/**
 * Files of the disks of a machine and of the containers on it. The machine itself writes its folder: what is a link
 * there may lead to the disks of others, and is none of its own.
 */
export async function disksOf(folder: string): Promise<string[]> {
  const files: string[] = [];
  const data = plainDataDir(folder);
  for (const disks of [join(data, 'storage', 'loop'), join(folder, 'volumes')])
    files.push(...(await entriesOf(folder, disks)).filter((one) => one.isFile()).map(pathOf));
  for (const model of (await entriesOf(folder, join(data, containersAt))).map(pathOf))
    for (const instance of await entriesOf(folder, model))
      if (instance.isDirectory() && isInstanceId(instance.name))
        files.push(...(await disksOf(pathOf(instance))));
  return files;
}

/**
 * Ends the mounts of a disk that an agent has not ended any more, then its devices. `pid`: the first process of the
 * machine that may have it mounted. Errors: while processes there use it.
 */
export async function releaseMounts(file: string, pid: number | undefined): Promise<void> {
  const mounts = pid === undefined ? '' : await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
  for (const device of mounts === '' ? [] : await loopsOf(file))
    for (const line of mounts.split('\n')) {
      const [left = '', right = ''] = line.split(' - ');
      const target = left.split(' ')[4];
      if (target !== undefined && right.split(' ')[1] === device)
        await run(['nsenter', `--mount=/proc/${pid}/ns/mnt`, 'umount', unescaped(target)]);
    }
  await freeLoops(file);
}

/** A path of the kernel's table, in which blanks are octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** What is in a folder below `base`; nothing when it is no folder, or a link is on the way to it. */
async function entriesOf(base: string, folder: string): Promise<Dirent[]> {
  let path = base;
  for (const part of relative(base, folder).split(sep)) {
    path = join(path, part);
    if (!(await lstat(path).catch(() => undefined))?.isDirectory()) return [];
  }
  return readdir(folder, { withFileTypes: true });
}

function pathOf({ parentPath, name }: Dirent): string {
  return join(parentPath, name);
}
