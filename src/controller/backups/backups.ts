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
import { JujuError, notFound, notValid } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { isoTime, type Clock } from '../../kit/clock.ts';
import type { BlobStore } from '../../store/blobs.ts';
import type { ContentStore } from '../../store/contents.ts';
import type { Store } from '../../store/store.ts';
import { makeFolder } from '../../kit/make-folder.ts';
import type { Recipient } from '../../kit/sealed/recipient.ts';
import { sealFor } from '../../kit/sealed/sealed-stream.ts';
import { verifyArchive, writeArchive } from './archive.ts';

const run = promisify(execFile);
const MiB = 1024 * 1024;

interface BackupParts {
  readonly store: Store<Entities>;
  readonly contents: ContentStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly version: string;
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

interface Backup extends BackupRecord {
  readonly path: string;
  readonly size: number;
  /** SHA-1 of the archive in base64. */
  readonly checksum: string;
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
    const { clock, settings, blobs, blobsDir } = this.#parts;
    const seal = recipient && sealFor(recipient);
    const started = isoTime(clock);
    const inside = join(staging, 'juju-backup');
    await mkdir(inside, { mode: 0o700 });
    await this.#copyDatabases(inside, folder);
    if (logs) await this.#copyLogs(inside);
    await copyFile(settings, join(inside, 'controller.json'));
    const list = join(staging, 'blobs');
    const files = (await blobs.list()).map((sha256) => join(sha256.slice(0, 2), sha256));
    await writeFile(list, files.map((file) => `${file}\n`).join(''), { mode: 0o600 });
    const record = this.#record(notes, started);
    const metadata = { ...backupMetadata(record), Finished: isoTime(clock) };
    await writeFile(join(inside, 'metadata.json'), JSON.stringify(metadata), { mode: 0o600 });
    const path = await freePath(folder, started, seal !== undefined);
    // Other controllers may use the same folder.
    const suffix = `.${record.controller}.partial`;
    await removePartials(folder, suffix);
    const partial = `${path}${suffix}`;
    try {
      const archive = { path: partial, staging, seal, signal: this.#ended.signal };
      await writeArchive(archive, { list, blobsDir });
      await verifyArchive(archive);
      await rename(partial, path);
      await syncFolder(folder);
    } finally {
      await rm(partial, { force: true });
    }
    const [{ size }, checksum] = [await stat(path), await this.#digest('sha1sum', path)];
    return {
      ...record,
      finished: isoTime(clock),
      path,
      size,
      checksum: Buffer.from(checksum, 'hex').toString('base64'),
    };
  }

  /** Copies what the logs have until now: they grow meanwhile. */
  async #copyLogs(to: string): Promise<void> {
    const { logsDir, uploadsDir } = this.#parts;
    await checkRoom(uploadsDir, await sizeOf(logsDir));
    await this.#copy(logsDir, join(to, 'logs'));
  }

  /** Copies both databases as of one moment: they are held in one turn. */
  async #copyDatabases(to: string, folder: string): Promise<void> {
    const { store, contents, uploadsDir, blobsDir } = this.#parts;
    const file = store.holdFile();
    try {
      const secrets = contents.holdFile();
      try {
        const databases = (await stat(file.path)).size + (await stat(secrets.path)).size;
        await checkRoom(uploadsDir, databases);
        await checkRoom(folder, databases + (await sizeOf(blobsDir)));
        await this.#copy(file.path, join(to, 'store.db'));
        await this.#copy(secrets.path, join(to, 'secrets.db'));
      } finally {
        secrets.release();
      }
    } finally {
      file.release();
    }
    this.#ended.signal.throwIfAborted();
  }

  /**
   * Copies a database, or a folder, in another process: the end of any use of the file by this one would drop SQLite's
   * locks on it, as POSIX has it.
   */
  async #copy(file: string, to: string): Promise<void> {
    await run('cp', ['--recursive', '--reflink=auto', '--', file, to], { signal: this.#ended.signal });
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
      return { path: id, size: found.size, sha256: await this.#digest('sha256sum', id) };
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
    const found = await stat(wanted).catch(() => undefined);
    if (!isAbsolute(wanted) || !found?.isDirectory()) throw notValid(`backup-dir "${wanted}" is no folder`);
    return normalize(wanted).replace(/(.)\/$/, '$1');
  }

  /** Computes a digest in another process, because an archive may have gigabytes. */
  async #digest(program: 'sha1sum' | 'sha256sum', path: string): Promise<string> {
    const { stdout } = await run(program, ['--', path], { signal: this.#ended.signal });
    // The program puts a backslash before the digest of a file name with special characters.
    return /^\\?([0-9a-f]+)/.exec(stdout)?.[1] ?? '';
  }
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
