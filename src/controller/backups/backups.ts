/**
 * Backups of the controller while it runs (backups.md#backup-archive): its databases as of one moment, and the files
 * that they refer to, in one archive.
 */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import {
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import {
  backupId,
  backupMetadata,
  backupName,
  isBackupName,
  type BackupRecord,
} from '../../core/controller/backup.ts';
import { formatBase } from '../../core/base.ts';
import { defined } from '../../core/defined.ts';
import { JujuError, notFound, notValid } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { isoTime, type Clock } from '../../kit/clock.ts';
import type { BlobStore } from '../../store/blobs.ts';
import type { ContentStore } from '../../store/contents.ts';
import type { Store } from '../../store/store.ts';
import { makeFolder } from '../../kit/make-folder.ts';
import type { Recipient } from '../../kit/sealed/recipient.ts';
import type { ArchiveMade, Archiver } from './archive.ts';

const run = promisify(execFile);
const MiB = 1024 * 1024;

interface BackupParts {
  readonly store: Store<Entities>;
  readonly contents: ContentStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly version: string;
  readonly archiver: Archiver;
  /** File with what a start needs before the store is open. */
  readonly settings: string;
  readonly logsDir: string;
  /** Folder of the blobs. */
  readonly blobsDir: string;
  /** Folder of files that a killed process leaves and a start removes. */
  readonly uploadsDir: string;
  /** Folder of archives when the model names none. */
  readonly folder: string;
}

interface BackupRequest {
  readonly notes: string;
  /** Whom the archive is sealed for; absent = it is not. */
  readonly recipient?: Recipient;
  /** Whether the logs are in it. */
  readonly logs?: boolean;
}

interface Backup extends BackupRecord, ArchiveMade {
  readonly path: string;
}

export class Backups {
  readonly #parts: BackupParts;
  readonly #ended = new AbortController();
  #isBusy = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(parts: BackupParts) {
    this.#parts = parts;
  }

  /**
   * Makes an archive of the controller. Errors: '' when another archive is being made, or the disk has no room; those
   * of the operating system.
   */
  async create(request: BackupRequest): Promise<Backup> {
    if (this.#isBusy) throw new JujuError('', 'a backup is being made already');
    this.#isBusy = true;
    const making = this.#create(request).finally(() => (this.#isBusy = false));
    this.#work = making.catch(() => undefined);
    return making;
  }

  /** Ends the work that is under way. */
  async stop(): Promise<void> {
    this.#ended.abort(new JujuError('', 'the controller stops'));
    await this.#work;
  }

  async #create(request: BackupRequest): Promise<Backup> {
    const { store, blobs, uploadsDir } = this.#parts;
    if (store.problem !== undefined) throw new JujuError('', store.problem);
    const folder = await this.#folder();
    const staging = await mkdtemp(join(uploadsDir, 'backup-'));
    try {
      // Files that the documents refer to at the moment of their copy stay until the archive has them.
      return await blobs.keep(() => this.#archive(staging, folder, request));
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  async #archive(
    staging: string,
    folder: string,
    { notes, recipient, logs = false }: BackupRequest,
  ): Promise<Backup> {
    const { clock, settings, blobs, blobsDir, archiver } = this.#parts;
    const started = isoTime(clock);
    const inside = join(staging, 'juju-backup');
    await mkdir(inside, { mode: 0o700 });
    if (logs) await this.#copyLogs(inside);
    await copyFile(settings, join(inside, 'controller.json'));
    const record = this.#record(notes, started);
    const path = await freePath(folder, started, recipient !== undefined);
    // Other controllers may use the same folder.
    const suffix = `.${record.controller}.partial`;
    await removePartials(folder, suffix);
    const partial = `${path}${suffix}`;
    try {
      const made = await this.#whileHeld(folder, async (databases, onWritten) => {
        const list = join(staging, 'blobs');
        const files = (await blobs.list()).map((sha256) => join(sha256.slice(0, 2), sha256));
        await writeFile(list, files.map((file) => `${file}\n`).join(''), { mode: 0o600 });
        const metadata = { ...backupMetadata(record), Finished: isoTime(clock) };
        await writeFile(join(inside, 'metadata.json'), JSON.stringify(metadata), { mode: 0o600 });
        return archiver(
          { path: partial, staging, databases, list, blobsDir, ...defined({ recipient }) },
          { signal: this.#ended.signal, onWritten },
        );
      });
      await rename(partial, path);
      await syncFolder(folder);
      return { ...record, finished: isoTime(clock), path, ...made };
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Copies what the logs have until now: they grow meanwhile. */
  async #copyLogs(to: string): Promise<void> {
    const { logsDir, uploadsDir } = this.#parts;
    await checkRoom(uploadsDir, await sizeOf(logsDir));
    await run('cp', ['--recursive', '--', logsDir, join(to, 'logs')], { signal: this.#ended.signal });
  }

  /**
   * Runs `fn` with the paths of both databases as of one moment: they are held in one turn, until it ends or calls
   * back. Only other processes may read the files: the end of any use by this one would drop SQLite's locks on them, as
   * POSIX has it.
   */
  async #whileHeld<T>(
    folder: string,
    fn: (databases: readonly string[], onWritten: () => void) => Promise<T>,
  ): Promise<T> {
    const { store, contents, uploadsDir, blobsDir } = this.#parts;
    const held = [store.holdFile()];
    const release = (): void => {
      for (const one of held.splice(0)) one.release();
    };
    try {
      held.push(contents.holdFile());
      const paths = held.map(({ path }) => path);
      const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
      const databases = sizes.reduce((sum, size) => sum + size, 0);
      // Room for reading back.
      await checkRoom(uploadsDir, databases);
      await checkRoom(folder, databases + (await sizeOf(blobsDir)));
      return await fn(paths, release);
    } finally {
      release();
    }
  }

  #record(notes: string, started: string): BackupRecord {
    const root = this.#parts.store.read().in('');
    const controller = root.get('controller', 'self');
    const model = controller?.modelUuid ?? '';
    const machine = this.#parts.store.read().in(model).get('machine', '0');
    return {
      id: backupId(started, model),
      notes,
      started,
      finished: started,
      controller: controller?.uuid ?? '',
      model,
      machine: '0',
      instance: machine?.instance?.id ?? '',
      hostname: hostname(),
      version: this.#parts.version,
      base: machine ? formatBase(machine.base) : '',
    };
  }

  /** Opens an archive for a download. Errors: `not valid` for a path that is no backup's; `not found`. */
  async open(id: string): Promise<{ path: string; size: number; sha256: string }> {
    if (
      !isAbsolute(id) ||
      normalize(id) !== id ||
      dirname(id) !== (await this.#folder()) ||
      !isBackupName(basename(id))
    )
      throw notValid(`backup file "${id}" not valid`);
    const file = await open(id, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (!file) throw notFound('backup file', id);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw notFound('backup file', id);
      return { path: id, size: found.size, sha256: await this.#sha256(id) };
    } finally {
      await file.close();
    }
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
  }

  /** The folder of archives; the default one is made. Errors: `not valid` when the model's is no folder. */
  async #folder(): Promise<string> {
    const { store, folder } = this.#parts;
    const root = store.read().in('');
    const model = root.get('model', root.get('controller', 'self')?.modelUuid ?? '');
    const wanted = model?.config['backup-dir'];
    if (typeof wanted !== 'string' || wanted === '') {
      await makeFolder(folder, 0o700);
      return folder;
    }
    return existing(wanted);
  }

  /** Computes a digest in another process, because an archive may have gigabytes. */
  async #sha256(path: string): Promise<string> {
    const { stdout } = await run('sha256sum', ['--', path], { signal: this.#ended.signal });
    // The program puts a backslash before the digest of a file name with special characters.
    return /^\\?([0-9a-f]+)/.exec(stdout)?.[1] ?? '';
  }
}

/** The path of a folder that is there. Errors: `not valid`. */
async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!isAbsolute(folder) || !found?.isDirectory()) throw notValid(`backup-dir "${folder}" is no folder`);
  return normalize(folder).replace(/(.)\/$/, '$1');
}

async function freePath(folder: string, started: string, isSealed: boolean): Promise<string> {
  for (let n = 0; ; n++) {
    const path = join(folder, backupName(started, n, isSealed));
    if (!(await stat(path).catch(() => undefined))) return path;
  }
}

/** Removes what a killed process has left: a controller makes one archive at a time. */
async function removePartials(folder: string, suffix: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(suffix)) await rm(join(folder, name), { force: true });
}

/** Makes a new name in a folder last. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

async function checkRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const [want, have] = [Math.ceil(bytes / MiB), Math.floor((bavail * bsize) / MiB)];
  throw new JujuError('', `not enough free space in "${folder}"; want ${want}MiB, have ${have}MiB`);
}

/** Bytes of the files in a folder, as `du` counts them, in another process: there may be many. */
async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await run('du', ['-s', '-B1', '--', folder]);
  return Number.parseInt(stdout, 10) || 0;
}
