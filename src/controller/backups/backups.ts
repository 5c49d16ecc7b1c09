/**
 * Backups of the controller while it runs (backups.md#backup-archive): its databases as of one moment, and the files
 * that they refer to, in one archive.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { backupId, backupMetadata, type BackupRecord } from '../../core/controller/backup.ts';
import { formatBase } from '../../core/base.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { isoTime, type Clock } from '../../kit/clock.ts';
import { checkRoom } from '../../kit/full-disk.ts';
import { syncPath } from '../../kit/sync-path.ts';
import type { BlobStore } from '../../store/blobs.ts';
import type { ContentStore } from '../../store/contents.ts';
import type { Store } from '../../store/store.ts';
import type { Recipient } from '../../kit/sealed/recipient.ts';
import type { ArchiveMade, Archiver, StartArchiver } from './archive.ts';
import { ArchiveFolder } from './archive-folder.ts';
import { nextNumber } from './next-number.ts';

const run = promisify(execFile);
/** How long an archive stays that was sent to a client which does not tell whether it has it. */
const sentMs = 3_600_000;

interface BackupParts {
  readonly store: Store<Entities>;
  readonly contents: ContentStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly version: string;
  readonly startArchiver: StartArchiver;
  /** File with what a start needs before the store is open. */
  readonly settings: string;
  readonly logsDir: string;
  /** Folder of the blobs. */
  readonly blobsDir: string;
  /** Folder of files that a killed process leaves and a start removes. */
  readonly uploadsDir: string;
  /** File with the numbers that backups were given; see nextNumber. */
  readonly numbers: string;
  /** Folder of archives when the model names none. */
  readonly folder: string;
}

interface BackupRequest {
  readonly notes: string;
  /** Whom the archive is sealed for; absent = it is not. */
  readonly recipient?: Recipient;
  /** Whether the logs are in it. */
  readonly logs?: boolean;
  /** Whether the controller's schedule asks for it, which waits for a backup that is being made. */
  readonly isScheduled?: boolean;
}

interface Backup extends BackupRecord, ArchiveMade {
  readonly path: string;
}

export class Backups {
  readonly #parts: BackupParts;
  readonly archives: ArchiveFolder;
  readonly #ended = new AbortController();
  /** When archives were sent that wait for their removal, by path. */
  readonly #sent = new Map<string, number>();
  #isBusy = false;
  #work: Promise<unknown> = Promise.resolve();
  /** Ends with the sweep at the start, which would remove the file of a new backup. */
  #swept: Promise<unknown> = Promise.resolve();

  constructor(parts: BackupParts) {
    this.#parts = parts;
    this.archives = new ArchiveFolder(parts.store, parts.folder);
  }

  /**
   * Makes an archive of the controller. Errors: '' when another archive is being made, or the disk has no room; those
   * of the operating system.
   */
  async create(request: BackupRequest): Promise<Backup> {
    while (this.#isBusy && request.isScheduled) await this.#work;
    if (this.#isBusy) throw new JujuError('', 'a backup is being made already');
    this.#ended.signal.throwIfAborted();
    this.#isBusy = true;
    const making = this.#create(request).finally(() => (this.#isBusy = false));
    this.#work = making.catch(() => undefined);
    return making;
  }

  /** Removes what a killed controller has left, unless a backup is being made, which does so itself. */
  async sweep(): Promise<void> {
    if (this.#isBusy) return;
    const sweeping = this.archives.sweep();
    this.#swept = sweeping.catch(() => undefined);
    return sweeping;
  }

  /** Ends the work that is under way. */
  async stop(): Promise<void> {
    this.#ended.abort(new JujuError('', 'the controller stops'));
    await this.#work;
  }

  async #create(request: BackupRequest): Promise<Backup> {
    const { store, blobs, uploadsDir } = this.#parts;
    if (store.problem !== undefined) throw new JujuError('', store.problem);
    // It starts while this process gathers what the archive is of.
    using archiver = this.#parts.startArchiver(this.#ended.signal);
    await this.#swept;
    await this.archives.sweep();
    const staging = await mkdtemp(join(uploadsDir, 'backup-'));
    try {
      // Files that the documents refer to at the moment of their copy stay until the archive has them.
      return await blobs.keep(() => this.#archive(staging, request, archiver));
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  async #archive(
    staging: string,
    { notes, recipient, logs = false, isScheduled = false }: BackupRequest,
    archiver: Archiver,
  ): Promise<Backup> {
    const { clock, settings, blobs, blobsDir } = this.#parts;
    const started = isoTime(clock);
    const inside = join(staging, 'juju-backup');
    await mkdir(inside, { mode: 0o700 });
    if (logs) await this.#copyLogs(inside);
    await copyFile(settings, join(inside, 'controller.json'));
    const from = await nextNumber(this.#parts.numbers, started);
    const record = this.#record(notes, started, from);
    const how = { from, isSealed: recipient !== undefined, isScheduled };
    const partial = this.archives.partial(await this.archives.free(started, how));
    const folder = dirname(partial);
    try {
      const made = await this.#whileHeld(folder, async (databases, onWritten) => {
        const list = join(staging, 'blobs');
        const files = (await blobs.list()).map((sha256) => join(sha256.slice(0, 2), sha256));
        await writeFile(list, files.map((file) => `${file}\n`).join(''), { mode: 0o600 });
        const metadata = { ...backupMetadata(record), Finished: isoTime(clock) };
        await writeFile(join(inside, 'metadata.json'), JSON.stringify(metadata), { mode: 0o600 });
        return archiver.make(
          { path: partial, staging, databases, list, blobsDir, ...defined({ recipient }) },
          onWritten,
        );
      });
      const path = await this.archives.name(partial, started, how);
      await syncPath(folder);
      return { ...record, finished: isoTime(clock), path, ...made };
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Copies what the logs have until now: they grow meanwhile. Links stay links, except of the folder itself. */
  async #copyLogs(to: string): Promise<void> {
    const { logsDir, uploadsDir } = this.#parts;
    await checkRoom(uploadsDir, await sizeOf(logsDir));
    await run('cp', ['--recursive', '-H', '--', logsDir, join(to, 'logs')], { signal: this.#ended.signal });
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
    const { store, contents, blobsDir } = this.#parts;
    const held = [store.holdFile()];
    const release = (): void => {
      for (const one of held.splice(0)) one.release();
    };
    try {
      held.push(contents.holdFile());
      const paths = held.map(({ path }) => path);
      const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
      const databases = sizes.reduce((sum, size) => sum + size, 0);
      await checkRoom(folder, databases + (await sizeOf(blobsDir)));
      return await fn(paths, release);
    } finally {
      release();
    }
  }

  #record(notes: string, started: string, n: number): BackupRecord {
    const root = this.#parts.store.read().in('');
    const controller = root.get('controller', 'self');
    const model = controller?.modelUuid ?? '';
    const machine = this.#parts.store.read().in(model).get('machine', '0');
    return {
      id: backupId({ started, n }, model),
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

  /** Opens an archive for a download; see ArchiveFolder. */
  async open(id: string): Promise<{ path: string; size: number; sha256: string }> {
    return this.archives.open(id, this.#ended.signal);
  }

  /**
   * Removes an archive an hour after it was sent the last time to clients that do not tell whether they have it. One
   * whose hour the controller's end cuts off stays.
   */
  async sent(path: string): Promise<void> {
    const { clock } = this.#parts;
    const isWaiting = this.#sent.has(path);
    this.#sent.set(path, clock.now());
    if (isWaiting) return;
    for (let left = sentMs; left > 0; left = this.#sent.get(path)! + sentMs - clock.now())
      await clock.sleep(left, this.#ended.signal);
    this.#sent.delete(path);
    await this.archives.received(path);
  }
}

/** Bytes of the files in a folder, as `du` counts them, in another process: there may be many. */
async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await run('du', ['-s', '-D', '-B1', '--', folder]);
  return Number.parseInt(stdout, 10) || 0;
}
