/** Storage in the file system of this machine (storage.md#on-the-machine). */
import { execFile } from 'node:child_process';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { showSize } from '../../core/storage/directive.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import type { StorageHost } from './storage-worker.ts';

const run = promisify(execFile);

/** A mount as it is written down before it is made, so that the next agent finds it. */
interface Mount {
  readonly id: string;
  readonly target: string;
  /** Folder of the data; absent for a file system in memory. */
  readonly source?: string;
}

export interface StorageHostOptions {
  readonly dataDir: string;
  /** Whether the machine has a root file system of its own, in which charms choose paths. */
  readonly ownRoot: boolean;
  /** The table of file systems; absent = mounts are made again by the agent only. */
  readonly fstab?: string;
}

export function storageHost(options: StorageHostOptions): StorageHost {
  const base = join(options.dataDir, 'storage');
  const records = join(base, 'mounts');
  const fileOf = (id: string): string => join(records, id.replaceAll('/', ' '));
  const sourceOf = ({ provider, detachable, number }: StorageRecord): string =>
    join(base, detachable ? 'volumes' : provider, number);
  const targetOf = ({ location, id }: StorageRecord): string =>
    location !== '' && options.ownRoot ? location : join(base, id);

  async function mounts(): Promise<Mount[]> {
    const names = await readdir(records).catch(() => []);
    const texts = await Promise.all(
      names.filter((name) => !name.endsWith('.new')).map((name) => readFile(join(records, name), 'utf8')),
    );
    return texts.map((text) => JSON.parse(text) as Mount);
  }

  async function undo(id: string): Promise<void> {
    const mount = (await mounts()).find((one) => one.id === id);
    if (!mount) return;
    await dropFromFstab(options.fstab, mount);
    if (await linksTo(mount)) await unlink(mount.target);
    else if (await isMounted(mount.target)) await command('umount', [mount.target]);
    // The path may be the charm's own folder.
    if (mount.target.startsWith(`${base}/`)) await rmdir(mount.target).catch(() => undefined);
    await rm(fileOf(id), { force: true });
  }

  return {
    async make(storage) {
      if (storage.provider === 'tmpfs') return storage.size;
      const source = sourceOf(storage);
      await mkdir(source, { recursive: true });
      const { blocks, bsize } = await statfs(source);
      const size = Math.floor((blocks * bsize) / 1024 ** 2);
      if (size < storage.size)
        throw new Error(`filesystem is not big enough (${showSize(size)} < ${showSize(storage.size)})`);
      return size;
    },

    async mount(storage) {
      const { id, provider } = storage;
      const target = targetOf(storage);
      const isMemory = provider === 'tmpfs';
      const mount: Mount = { id, target, ...(!isMemory && { source: sourceOf(storage) }) };
      const known = await mounts();
      refuseNested(mount, known);
      const isKnown = known.some((one) => one.id === id && one.target === target);
      if (isKnown && ((await isMounted(target)) || (await linksTo(mount)))) return target;
      await mkdir(target, { recursive: true });
      if ((await readdir(target)).length > 0) throw new Error(`mount point "${target}" is not empty`);
      await mkdir(records, { recursive: true });
      await writeFile(`${fileOf(id)}.new`, JSON.stringify(mount));
      await rename(`${fileOf(id)}.new`, fileOf(id));
      if (isMemory) {
        const readOnly = storage.readOnly ? ',ro' : '';
        const size = `size=${storage.size}m${readOnly}`;
        await command('mount', ['-t', 'tmpfs', '-o', size, `filesystem-${storage.number}`, target]);
      } else await bind(mount, storage.readOnly, options.fstab);
      return target;
    },

    unmount: ({ id }) => undo(id),

    async destroy(storage) {
      await undo(storage.id);
      if (storage.provider !== 'tmpfs') await rm(sourceOf(storage), { recursive: true, force: true });
    },

    mounted: async () => (await mounts()).map(({ id }) => id),
    forget: undo,
  };
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
  if (fstab !== undefined) {
    const text = await readFile(fstab, 'utf8').catch(() => '');
    const line = fstabLine(mount, readOnly);
    if (!text.split('\n').includes(line))
      await replaceFile(fstab, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  }
}

function fstabLine({ source = '', target }: Mount, readOnly: boolean): string {
  return `${escaped(source)} ${escaped(target)} none defaults,bind,nofail${readOnly ? ',ro' : ''} 0 0`;
}

/** A path in the kernel's and the table's form. */
function escaped(path: string): string {
  return path.replaceAll('\\', '\\134').replaceAll(' ', '\\040').replaceAll('\t', '\\011');
}

async function dropFromFstab(fstab: string | undefined, mount: Mount): Promise<void> {
  if (fstab === undefined || mount.source === undefined) return;
  const text = await readFile(fstab, 'utf8').catch(() => '');
  const lines = text.split('\n');
  const own = [fstabLine(mount, false), fstabLine(mount, true)];
  const rest = lines.filter((line) => !own.includes(line));
  if (rest.length < lines.length) await replaceFile(fstab, rest.join('\n'));
}

/** The machine does not start without its table of file systems: half of one must never be there. */
async function replaceFile(path: string, text: string): Promise<void> {
  const mode = (await stat(path).catch(() => undefined))?.mode ?? 0o644;
  const file = await open(`${path}.grigri`, 'w', mode & 0o777);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.grigri`, path);
}

function refuseNested({ id, target }: Mount, others: readonly Mount[]): void {
  for (const other of others) {
    if (other.id === id) continue;
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

async function linksTo({ target, source }: Mount): Promise<boolean> {
  return source !== undefined && (await readlink(target).catch(() => undefined)) === source;
}

async function isMounted(target: string): Promise<boolean> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return lines.some((line) => line.split(' ')[4] === escaped(target));
}

async function command(program: string, args: readonly string[]): Promise<void> {
  try {
    await run(program, [...args], { env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(stderr?.trim() || message, { cause: error });
  }
}
