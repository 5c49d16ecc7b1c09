/**
 * Loop devices: files as disks. They are the kernel's, and shared by all that run on it: a device that nobody detaches
 * outlives the processes and namespaces that used it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, readFile, rename, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLocks } from './locks.ts';

/** Runs the command where all devices are seen: the /dev of a sandbox has none of loops. */
const amongDevices = 'mount -t devtmpfs devtmpfs /dev && exec "$@"';
/** Shows one device in a /dev that lacks it. A root that may not make device files may bind those of the kernel. */
const showScript = `while umount "$2" 2>/dev/null; do :; done
mkdir -p "$2"
mount -t devtmpfs devtmpfs "$2"
: >"$1"
mount --bind "$2/\${1#/dev/}" "$1"
umount "$2"`;
const devicesAt = '/run/grigri/devices';
const locks = createLocks();
const isRefusal = /^(mount|unshare): .*(permission denied|not permitted)|unused loop device/i;

/** The machine has no loop devices, or may not use them. */
class NoLoopsError extends Error {
  constructor(why: string, options: ErrorOptions) {
    super(`this machine cannot have loop devices (${why})`, options);
  }
}

/** Whether /dev has loop devices itself. */
export function hasLoops(): boolean {
  return existsSync('/dev/loop-control');
}

/** Contents of a new disk: nothing, an empty file system, or a file system with the files of a folder. */
type DiskContents = 'nothing' | 'ext4' | { readonly filesOf: string };

/**
 * Makes the sparse file of a disk, of `size` MiB, unless the file exists. The file gets its name when it is whole and
 * durable.
 */
export async function makeDisk(file: string, size: number, contents: DiskContents): Promise<void> {
  if (await stat(file).catch(() => undefined)) return;
  const unfinished = unfinishedDisk(file);
  // A program that a killed process has started may still write to the former file.
  await rm(unfinished, { force: true });
  await writeFile(unfinished, '', { mode: 0o600 });
  await truncate(unfinished, size * 1024 ** 2);
  const from = typeof contents === 'object' ? ['-d', contents.filesOf] : [];
  if (contents !== 'nothing') await runProgram('mkfs.ext4', ['-q', '-F', '-m', '0', ...from, unfinished]);
  await runProgram('sync', [unfinished]);
  await rename(unfinished, file);
  await runProgram('sync', [dirname(file)]);
}

/** Name of a disk that is being made. */
export function unfinishedDisk(file: string): string {
  return `${file}.new`;
}

/** Room in MiB in the file system of the folder. */
export async function roomAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.floor((bavail * bsize) / 1024 ** 2);
}

interface LoopDevice {
  /** Path of the device: `/dev/loop0`. */
  readonly path: string;
  /** True when the device goes with its last user; a process that only looks at it for a moment is a user, too. */
  readonly isGoing: boolean;
}

async function devicesOf(file: string): Promise<LoopDevice[]> {
  if (!existsSync(file)) return [];
  const asked = losetup('--associated', file, '--noheadings', '--list', '--output', 'NAME,AUTOCLEAR');
  const text = await asked.catch((error: Error) => {
    if (error instanceof NoLoopsError) return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    const [path, goes] = line.trim().split(/ +/);
    return path ? [{ path, isGoing: goes === '1' }] : [];
  });
}

/** Paths of the devices of a file: `/dev/loop0`. */
export async function loopsOf(file: string): Promise<string[]> {
  return (await devicesOf(file)).map(({ path }) => path);
}

/** Number of looks at a device that should go, and the time in milliseconds between them. */
const looks = 40;
const betweenLooks = 50;

/**
 * The device of a file, which may have been made before. A device that goes is waited for, as it could go before it is
 * used; a device that stays in use all the same is shared: a file system must not be mounted by two devices.
 */
export async function attachLoop(file: string, readOnly: boolean): Promise<string> {
  for (let look = 0; ; look++) {
    const devices = await devicesOf(file);
    const known = devices.find(({ isGoing }) => !isGoing) ?? (look === looks ? devices[0] : undefined);
    if (known) return known.path;
    if (devices.length === 0) {
      const flags = ['--find', '--show', ...(readOnly ? ['--read-only'] : [])];
      return (await losetup(...flags, file)).trim();
    }
    await setTimeout(betweenLooks);
  }
}

/** Detaches the device, or has it go with its last user. */
export async function detachLoop(device: string): Promise<void> {
  await losetup('--detach', device).catch((error: Error) => {
    // The device went meanwhile.
    if (!/no such device/i.test(error.message)) throw error;
  });
}

/** Detaches all devices of a file. Errors: while a device is in use, which then goes with its last user. */
export async function freeLoops(file: string): Promise<void> {
  for (let look = 0; ; look++) {
    const devices = await loopsOf(file);
    if (devices.length === 0) return;
    if (look === looks) throw new Error(`${devices.join(', ')}: the device is in use`);
    for (const device of look === 0 ? devices : []) {
      await hideDevice(device);
      await detachLoop(device);
    }
    // Some kernels take a while after the last use.
    if (look > 0) await setTimeout(betweenLooks);
  }
}

/** Makes the device's path lead to it. */
export async function showDevice(device: string): Promise<void> {
  const found = await lstat(device).catch(() => undefined);
  if (found?.isBlockDevice()) return;
  await locks(devicesAt, () => runProgram('sh', ['-ec', showScript, 'sh', device, devicesAt]));
}

/** Undoes `showDevice`: the next user of the device may be somebody else. */
export async function hideDevice(device: string): Promise<void> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8');
  if (!mounts.split('\n').some((line) => line.split(' ')[4] === device)) return;
  await runProgram('sh', ['-ec', 'umount "$1"; rm "$1"', 'sh', device]);
}

/** Runs losetup. Errors: NoLoopsError. */
async function losetup(...args: string[]): Promise<string> {
  try {
    if (hasLoops()) return await runProgram('losetup', args);
    return await runProgram('unshare', ['--mount', 'sh', '-ec', amongDevices, 'sh', 'losetup', ...args]);
  } catch (cause) {
    const [why = ''] = (cause as Error).message.split('\n');
    throw isRefusal.test(why) ? new NoLoopsError(why, { cause }) : cause;
  }
}

/** Runs a program and returns its stdout. Errors: with what it wrote to stderr. */
export function runProgram(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const PATH = `${process.env['PATH'] ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`;
    execFile(program, [...args], { env: { ...process.env, PATH, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }));
      else resolve(stdout);
    });
  });
}
