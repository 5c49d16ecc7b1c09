/** The folder with the archives of backups (backups.md#backup-archive), which other controllers may use, too. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, link, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import {
  backupName,
  checkBackupName,
  invalidBackup,
  isBackupName,
  isScheduledBackup,
  timeOfBackup,
} from '../../core/controller/backup.ts';
import { defined } from '../../core/defined.ts';
import { notFound, notValid } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { limits } from '../../core/limits.ts';
import { makeFolder } from '../../kit/make-folder.ts';
import { errorText } from '../../kit/system-error.ts';
import type { Reader, Store } from '../../store/store.ts';

const run = promisify(execFile);

export interface StoredArchive {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly bytes: number;
  /** Whether this controller's schedule has made it. */
  readonly isScheduled: boolean;
}

/** What the name of an archive tells besides its time. */
interface ArchiveTraits {
  /** The first number that tells it from others of its second. */
  readonly from: number;
  readonly isSealed: boolean;
  readonly isScheduled: boolean;
}

/** Errors of file systems that have no hard links. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

export class ArchiveFolder {
  readonly #store: Store<Entities>;
  /** Folder when the model names none. */
  readonly #own: string;

  constructor(store: Store<Entities>, own: string) {
    this.#store = store;
    this.#own = own;
  }

  /** The folder; the default one is made. Errors: `not valid` when the model's is no folder. */
  async path(): Promise<string> {
    const wanted = backupDirOf(this.#store.read());
    if (wanted !== undefined) return existing(wanted);
    await makeFolder(this.#own, 0o700);
    return this.#own;
  }

  /** Errors: `not valid` when nothing can be written to the folder. */
  async checkWritable(): Promise<void> {
    const folder = await this.path();
    await access(folder, constants.W_OK).catch((error: unknown) => {
      throw notValid(`backups cannot be written: ${errorText(error)}`);
    });
  }

  /** The archives with the newest names, the newest first. */
  async list(): Promise<StoredArchive[]> {
    const folder = await this.path();
    const names = (await readdir(folder)).filter(isBackupName).sort().reverse();
    const listed: StoredArchive[] = [];
    for (const name of names.slice(0, limits.backupsListed.max)) {
      const found = await lstat(join(folder, name)).catch(() => undefined);
      if (!found?.isFile()) continue;
      const time = timeOfBackup(name) ?? found.mtimeMs;
      listed.push({ name, time, bytes: found.size, isScheduled: isScheduledBackup(name, this.#controller) });
    }
    return listed;
  }

  /** Path of a new archive. */
  async free(started: string, how: ArchiveTraits): Promise<string> {
    return this.#free(await this.path(), started, how);
  }

  /**
   * Gives a written archive its name, and returns its path: another one than was free at first where another controller
   * has taken that meanwhile.
   */
  async name(partial: string, started: string, how: ArchiveTraits): Promise<string> {
    for (;;) {
      const path = await this.#free(dirname(partial), started, how);
      try {
        await link(partial, path);
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') continue;
        if (!withoutLinks.has(code)) throw error;
        await rename(partial, path);
        return path;
      }
      await rm(partial);
      return path;
    }
  }

  async #free(
    folder: string,
    started: string,
    { from, isSealed, isScheduled }: ArchiveTraits,
  ): Promise<string> {
    const scheduledBy = isScheduled ? this.#controller : undefined;
    const name = { started, isSealed, ...defined({ scheduledBy }) };
    for (let n = from; ; n++) {
      const path = join(folder, backupName({ ...name, n }));
      if (!(await lstat(path).catch(() => undefined))) return path;
    }
  }

  /** Path under which an archive is written before it has its name. */
  partial(path: string): string {
    return `${path}${this.#suffix}`;
  }

  /** Removes what a killed process has left: a controller makes one archive at a time. */
  async sweep(): Promise<void> {
    const folder = await this.path();
    for (const name of await readdir(folder))
      if (name.endsWith(this.#suffix)) await rm(join(folder, name), { force: true });
  }

  /**
   * Opens an archive for a download. `id`: its name, or its path. Errors: `not valid` for what is no backup's; `not
   * found`.
   */
  async open(id: string, signal: AbortSignal): Promise<{ path: string; size: number; sha256: string }> {
    const path = await this.#path(id);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (!file) throw notFound('backup file', id);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw notFound('backup file', id);
      return { path, size: found.size, sha256: await digest(path, signal) };
    } finally {
      await file.close();
    }
  }

  /**
   * Removes an archive that a client has; those of any controller's schedule stay as long as it says. `id` and errors:
   * as those of `open`.
   */
  async received(id: string): Promise<void> {
    const path = await this.#path(id);
    if (!isScheduledBackup(basename(path))) await rm(path, { force: true });
  }

  /** Removes an archive by its name. Errors: as those of `open`. */
  async remove(name: string): Promise<void> {
    checkBackupName(name);
    const path = await this.#path(name);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile()) throw notFound('backup file', name);
    await rm(path);
  }

  async #path(id: string): Promise<string> {
    const folder = await this.path();
    const path = id === basename(id) ? join(folder, id) : id;
    if (
      !isAbsolute(path) ||
      normalize(path) !== path ||
      dirname(path) !== folder ||
      !isBackupName(basename(path))
    )
      throw invalidBackup(id);
    return path;
  }

  get #controller(): string {
    return this.#store.read().in('').get('controller', 'self')?.uuid ?? '';
  }

  get #suffix(): string {
    return `.${this.#controller}.partial`;
  }
}

/** The folder of backups that the controller's own model names; undefined = it names none. */
export function backupDirOf(reader: Reader<Entities>): string | undefined {
  const root = reader.in('');
  const model = root.get('model', root.get('controller', 'self')?.modelUuid ?? '');
  const wanted = model?.config['backup-dir'];
  return typeof wanted === 'string' && wanted !== '' ? wanted : undefined;
}

/** The path of a folder that is there. Errors: `not valid`. */
async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!isAbsolute(folder) || !found?.isDirectory()) throw notValid(`backup-dir "${folder}" is no folder`);
  return normalize(folder).replace(/(.)\/$/, '$1');
}

/** Computes a digest in another process, because an archive may have gigabytes. */
async function digest(path: string, signal: AbortSignal): Promise<string> {
  const { stdout } = await run('sha256sum', ['--', path], { signal });
  // The program puts a backslash before the digest of a file name with special characters.
  return /^\\?([0-9a-f]+)/.exec(stdout)?.[1] ?? '';
}
