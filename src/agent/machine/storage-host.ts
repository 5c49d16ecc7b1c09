/** Storage in the file system of this machine (storage.md#on-the-machine). */
import { lstat, readdir, rm, rmdir, stat, statfs, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { showSize } from '../../core/storage/directive.ts';
import { volumeName } from '../../core/storage/document.ts';
import { createLocks } from '../../kit/locks.ts';
import {
  attachLoop,
  detachLoop,
  freeLoops,
  hasLoops,
  hideDevice,
  loopsOf,
  makeDisk,
  roomAt,
  runProgram as command,
  showDevice,
  unfinishedDisk,
} from '../../kit/loop-devices.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import { addToFstab, dropFromFstab, isMounted, linksTo, MountRecords, type Mount } from './mount-records.ts';
import type { Mounted, StorageHost } from './storage-worker.ts';
import { makeFolder } from '../../kit/make-folder.ts';

interface StorageHostOptions {
  readonly dataDir: string;
  /** Whether the machine has a root file system of its own, in which charms choose paths. */
  readonly ownRoot: boolean;
  /** Table of file systems; absent = mounts are made again by the agent only. */
  readonly fstab?: string;
}

/** Returns where storage is kept, and where it is shown. */
function placesOf(base: string, ownRoot: boolean) {
  const sourceOf = ({ provider, detachable, number, volume }: StorageRecord): string =>
    volume === undefined
      ? join(base, detachable ? 'volumes' : provider, number)
      : join(base, provider, volumeName(volume));
  const targetOf = ({ location, id }: StorageRecord): string =>
    location !== '' && ownRoot ? location : join(base, id);

  async function mountOf(storage: StorageRecord): Promise<Mount> {
    const source = sourceOf(storage);
    const isDisk = storage.volume !== undefined || (storage.detachable && (await isFile(source)));
    return {
      id: storage.id,
      target: storage.type === 'block' ? '' : targetOf(storage),
      ...(storage.provider !== 'tmpfs' && { source }),
      ...(isDisk && { loop: true }),
    };
  }
  return { sourceOf, mountOf };
}

export function storageHost(options: StorageHostOptions): StorageHost {
  const base = join(options.dataDir, 'storage');
  const records = new MountRecords(join(base, 'mounts'));
  const locks = createLocks();
  const { sourceOf, mountOf } = placesOf(base, options.ownRoot);

  /** Claims the target for the mount; other mounts may be claiming theirs meanwhile. */
  const claim = (mount: Mount): Promise<void> =>
    locks('targets', async () => {
      refuseNested(mount, await records.list());
      if (mount.target !== '') await prepareTarget(mount.target);
      await records.add(mount);
    });

  async function undo(id: string): Promise<void> {
    const mount = (await records.list()).find((one) => one.id === id);
    if (!mount) return;
    await dropFromFstab(options.fstab, mount);
    if (await linksTo(mount)) await unlink(mount.target);
    else if (await isMounted(mount.target)) await command('umount', [mount.target]);
    if (mount.loop) await freeLoops(mount.source ?? '');
    // The path may be the charm's own folder.
    if (mount.target.startsWith(`${base}/`)) await rmdir(mount.target).catch(() => undefined);
    await records.remove(id);
  }

  /** Finds what shows the storage at its place, if anything does. */
  async function present(mount: Mount): Promise<Mounted | undefined> {
    const [device] = mount.loop ? await loopsOf(mount.source ?? '') : [];
    const itsDevice = device === undefined ? {} : { device: basename(device) };
    if (mount.target === '') {
      if (device === undefined) return undefined;
      await showDevice(device);
      return { path: device, ...itsDevice };
    }
    const isThere = (await isMounted(mount.target)) || (await linksTo(mount));
    return isThere ? { path: mount.target, ...itsDevice } : undefined;
  }

  return {
    async make(storage) {
      if (storage.provider === 'tmpfs') return storage.size;
      const source = sourceOf(storage);
      if (storage.volume !== undefined) return await makeDiskOf(source, storage);
      return await makeFolderOf(source, storage);
    },

    async mount(storage) {
      const mount = await mountOf(storage);
      const isKnown = (await records.list()).some(
        ({ id, target }) => id === mount.id && target === mount.target,
      );
      let found = isKnown ? await present(mount) : undefined;
      if (!found) {
        await claim(mount);
        if (mount.loop) await mountLoop(mount, storage, options.fstab);
        else if (mount.source === undefined) await mountMemory(mount, storage);
        else await bind(mount, storage.readOnly, options.fstab);
        found = (await present(mount)) ?? { path: mount.target };
      }
      // The device below a volume of the cloud is no volume of the model.
      return storage.volume === undefined ? { path: found.path } : found;
    },

    unmount: ({ id }) => undo(id),

    async destroy(storage) {
      await undo(storage.id);
      if (storage.provider === 'tmpfs') return;
      // Unfinished disks have no name of their own yet.
      for (const path of [sourceOf(storage), unfinishedDisk(sourceOf(storage))])
        await rm(path, { recursive: true, force: true });
    },

    mounted: async () => (await records.list()).map(({ id }) => id),
    forget: undo,
  };
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

async function prepareTarget(target: string): Promise<void> {
  await makeFolder(target);
  if ((await readdir(target)).length > 0) throw new Error(`mount point "${target}" is not empty`);
}

/** Makes a folder of the machine's own file system: the storage has the size of that file system. */
async function makeFolderOf(path: string, storage: StorageRecord): Promise<number> {
  await makeFolder(path);
  const { blocks, bsize } = await statfs(path);
  const size = Math.floor((blocks * bsize) / 1024 ** 2);
  if (size < storage.size)
    throw new Error(`filesystem is not big enough (${showSize(size)} < ${showSize(storage.size)})`);
  return size;
}

/** Makes the file of a disk, with a file system where the storage is to have one. */
async function makeDiskOf(file: string, { size, type }: StorageRecord): Promise<number> {
  if (await stat(file).catch(() => undefined)) return size;
  await makeFolder(dirname(file), 0o700);
  const room = await roomAt(dirname(file));
  if (room < size)
    throw new Error(`the machine has ${showSize(room)} left, and the storage needs ${showSize(size)}`);
  await makeDisk(file, size, type === 'filesystem' ? 'ext4' : 'nothing');
  return size;
}

/**
 * Shows a disk, or mounts the file system on it: its loop device then goes away with the mount, however the mount ends.
 */
async function mountLoop(
  { target, source = '' }: Mount,
  { readOnly, volume, number, detachable }: StorageRecord,
  fstab: string | undefined,
): Promise<void> {
  if (!(await isFile(source)))
    throw new Error(`the file of volume ${volume ?? number} is not there: ${source}`);
  const device = await attachLoop(source, readOnly);
  await showDevice(device);
  if (target === '') return;
  await command('mount', ['-t', 'ext4', ...(readOnly ? ['-o', 'ro'] : []), device, target]);
  await hideDevice(device);
  await detachLoop(device);
  // Charms take whatever is in a volume of the cloud for their own.
  if (detachable && !readOnly) await rmdir(join(target, 'lost+found')).catch(() => undefined);
  if (fstab !== undefined && hasLoops()) await addToFstab(fstab, { target, source, loop: true }, readOnly);
}

async function mountMemory({ target }: Mount, { size, number, readOnly }: StorageRecord): Promise<void> {
  const options = `size=${size}m${readOnly ? ',ro' : ''}`;
  await command('mount', ['-t', 'tmpfs', '-o', options, `filesystem-${number}`, target]);
}

/** Shows the folder at the target: by a mount, or by a link where mounting is not allowed. */
async function bind(mount: Mount, readOnly: boolean, fstab: string | undefined): Promise<void> {
  const { source = '', target } = mount;
  const found = await lstat(source).catch(() => undefined);
  if (!found?.isDirectory()) throw new Error(`${source} is not there: the cloud has not attached it yet`);
  try {
    await command('mount', ['--bind', source, target]);
  } catch (error) {
    if (!/denied|permitted|superuser|not found/i.test((error as Error).message)) throw error;
    await rmdir(target);
    return await symlink(source, target);
  }
  if (readOnly) await command('mount', ['-o', 'remount,bind,ro', target]);
  if (fstab !== undefined) await addToFstab(fstab, mount, readOnly);
}

function refuseNested({ id, target }: Mount, others: readonly Mount[]): void {
  for (const other of others) {
    if (other.id === id || target === '' || other.target === '') continue;
    const [outer, inner] = [
      { id, target },
      { id: other.id, target: other.target },
    ].sort((a, b) => a.target.length - b.target.length) as [Mount, Mount];
    if (inner.target === outer.target || inner.target.startsWith(`${outer.target}/`))
      throw new Error(
        `mount point "${outer.target}" of storage "${outer.id}" contains mount point "${inner.target}" of storage "${inner.id}"`,
      );
  }
}
