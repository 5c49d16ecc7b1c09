/** Mounts of storage: written down for the next agent and for the next boot (storage.md#on-the-machine). */
import { open, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocks } from '../../kit/locks.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/** Mount as it is written down before it is made, so that the next agent finds it. */
export interface Mount {
  readonly id: string;
  /** Path of the mount; '' = there is only a device. */
  readonly target: string;
  /** Folder of the data, or file of a loop device; absent for a file system in memory. */
  readonly source?: string;
  readonly loop?: true;
}

/** Mounts that were written down: a folder with one file for each. */
export class MountRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(): Promise<Mount[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const texts = await Promise.all(
      names
        .filter((name) => !name.endsWith('.new'))
        .map((name) => readFile(join(this.#folder, name), 'utf8').catch(whenGone)),
    );
    return texts.filter((text) => text !== '').map((text) => JSON.parse(text) as Mount);
  }

  async add(mount: Mount): Promise<void> {
    const file = this.#fileOf(mount.id);
    await makeFolder(this.#folder);
    await writeFile(`${file}.new`, JSON.stringify(mount));
    await rename(`${file}.new`, file);
  }

  async remove(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  #fileOf(id: string): string {
    return join(this.#folder, id.replaceAll('/', ' '));
  }
}

/**
 * Returns '' for a record that was removed while all records are read. Errors: the given one, for a file that cannot be
 * read.
 */
function whenGone(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

type Lasting = Omit<Mount, 'id'>;

const locks = createLocks();

export function addToFstab(fstab: string, mount: Lasting, readOnly: boolean): Promise<void> {
  return locks(fstab, async () => {
    const text = await readFile(fstab, 'utf8').catch(() => '');
    const line = fstabLine(mount, readOnly);
    if (!text.split('\n').includes(line))
      await replaceFile(fstab, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  });
}

function fstabLine({ source = '', target, loop }: Lasting, readOnly: boolean): string {
  const how = loop ? 'ext4 loop,nofail' : 'none defaults,bind,nofail';
  return `${escaped(source)} ${escaped(target)} ${how}${readOnly ? ',ro' : ''} 0 0`;
}

/** Returns a path in the form of the kernel and of the table of file systems. */
function escaped(path: string): string {
  return path.replaceAll('\\', '\\134').replaceAll(' ', '\\040').replaceAll('\t', '\\011');
}

export async function dropFromFstab(fstab: string | undefined, mount: Mount): Promise<void> {
  if (fstab === undefined || mount.source === undefined) return;
  await locks(fstab, async () => {
    const lines = (await readFile(fstab, 'utf8').catch(() => '')).split('\n');
    const own = [fstabLine(mount, false), fstabLine(mount, true)];
    const rest = lines.filter((line) => !own.includes(line));
    if (rest.length < lines.length) await replaceFile(fstab, rest.join('\n'));
  });
}

/**
 * Replaces a file atomically: the machine does not start without its table of file systems, so half a table must never
 * be there.
 */
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

export async function linksTo({ target, source }: Mount): Promise<boolean> {
  return source !== undefined && (await readlink(target).catch(() => undefined)) === source;
}

export async function isMounted(target: string): Promise<boolean> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return lines.some((line) => line.split(' ')[4] === escaped(target));
}
