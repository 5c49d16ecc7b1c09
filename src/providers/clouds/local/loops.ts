/** Loop devices of machines: the devices are the host's, so they stay when a machine has ended (storage.md#loop). */
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { freeLoops, loopsOf } from '../../../kit/loop-devices.ts';
import { containersAt } from './places.ts';
import { plainDataDir } from './plain.ts';
import { isInstanceId } from './record.ts';
import { run } from './run.ts';

/**
 * Detaches the devices of a machine without processes, and of the containers on it. Errors: a device is still in use.
 */
export async function freeMachineLoops(folder: string): Promise<void> {
  for (const file of await disksOf(folder)) await freeLoops(file);
}

/**
 * Returns the files of the disks of a machine and of the containers on it. The machine itself writes its folder: links
 * in it may lead to disks of other machines, and are ignored.
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
 * Unmounts a disk where its agent has not done so, then detaches its devices. `pid`: the first process of the machine
 * that may have it mounted. Errors: processes of the machine still use the disk.
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

/** Decodes a path of the kernel's table of mounts, in which blanks are octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** Returns the entries of a folder below `base`; none when the path is no folder, or leads through a link. */
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
