/** Restores a backup into the data directory of a stopped controller (backups.md#backup-restore). */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { measureArchive, top, unpackArchive } from '../../controller/backups/unpack-archive.ts';
import { readProgramState, writeProgramState } from '../../agent/program/state.ts';
import { backupFormat } from '../../core/controller/backup.ts';
import { defined } from '../../core/defined.ts';
import type { Opener } from '../../kit/sealed/recipient.ts';
import { isSealed } from '../../kit/sealed/sealed-stream.ts';
import { writeWhole } from '../../providers/toolkit/json-file.ts';
import { schema } from '../../store/sqlite/schema.ts';
import { choiceFile } from '../launch/controller-programs.ts';
import { dataPaths, readSettings } from './data-dir.ts';
import { checkMove, moveFiles, moveMachines } from './move-machines.ts';
import { checkRoom, inMiB } from '../../kit/full-disk.ts';
import { makeFolder } from '../../kit/make-folder.ts';
import { syncPath } from '../../kit/sync-path.ts';
import { errorText } from '../../kit/system-error.ts';

/** Beginning of the name of the folder in which an archive is unpacked. */
const stagingPrefix = 'restore-';
/** Folders of the data directory with what was there before a restore. */
const asidePrefix = 'before-restore-';
/** Room that a restore needs beside the content of the archive. */
const spareBytes = 1024 * 1024;

export interface RestoreRequest {
  /** Path of the archive. */
  readonly archive: string;
  /** What opens a sealed archive. */
  readonly opener?: Opener;
  /** Directory that the controller had on this host: its machines move along, and it starts there no more. */
  readonly oldDataDir?: string;
}

interface Restored {
  /** Time of the backup, RFC 3339. */
  readonly started: string;
  /** Folder with the files that were there; absent = none were. */
  readonly before?: string;
}

/**
 * Puts a backup in the place of a controller's files. Until the archive is found whole and of this controller, nothing
 * is changed; a restore that is killed may be run again. Errors: a plain Error with the reason.
 */
export async function restoreOffline(
  dataDir: string,
  { archive, opener, oldDataDir }: RestoreRequest,
): Promise<Restored> {
  const paths = dataPaths(dataDir);
  checkStopped(paths.store);
  await makeFolder(dataDir, 0o700);
  if (oldDataDir !== undefined) {
    await checkMove(oldDataDir, dataDir);
    checkStopped(dataPaths(oldDataDir).store);
  }
  await removeStaging(dataDir);
  const folders = [dataDir, ...(oldDataDir === undefined ? [] : [oldDataDir])];
  const asides: Aside[] = [];
  const staging = await mkdtemp(join(dataDir, stagingPrefix));
  try {
    const from = await unpack(archive, staging, opener);
    const started = await checkMetadata(from, archive);
    for (const folder of folders) checkSameController(folder, from);
    const files = dataPaths(from);
    for (const path of [files.store, files.contents]) await checkDatabase(path);
    await addBlobs(files.blobs, paths.blobs);
    // Logs that are there are newer than those of the backup.
    const logs = folders.map((folder) => dataPaths(folder).logs);
    if (existsSync(files.logs) && !logs.some((path) => existsSync(path)))
      await rename(files.logs, paths.logs);
    // What needs room on the disk is done before anything moves.
    for (const folder of folders) asides.push(...(await makeAside(folder, dataDir)));
    const at = new Date().toISOString();
    const earlier = (await readdir(dataDir)).filter((name) => name.startsWith(asidePrefix)).length;
    await writeWhole(files.restored, JSON.stringify({ id: randomUUID(), backup: started, at, earlier }));
    const inPlace = [files.restored, files.settings, files.contents, files.store];
    for (const file of inPlace) await syncPath(file);
    // A restore that is run again finds the old directory by its settings until its machines have moved.
    if (oldDataDir !== undefined) await moveMachines(oldDataDir, dataDir);
    for (const aside of asides) await fillAside(aside);
    for (const folder of folders) endTrial(folder);
    // The store is the last, so that no controller starts with half of it.
    for (const file of inPlace) await rename(file, join(dataDir, basename(file)));
    // The archive may be among them: a restore that is run again finds it where it was.
    if (oldDataDir !== undefined) await moveFiles(oldDataDir, dataDir);
    await syncPath(dataDir);
    return { started, ...defined({ before: asides[0]?.to }) };
  } finally {
    // One that was filled stays.
    for (const { to } of asides) await rmdir(to).catch(() => undefined);
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Leaves a program that is being tried for the one before: the copy of the store beside it, to which a start would go
 * back, is not of the store that is restored.
 */
function endTrial(dataDir: string): void {
  const file = choiceFile(dataDir);
  const state = readProgramState(file);
  if (!state) return;
  const { trying, ...left } = state;
  if (trying) writeProgramState(file, left);
}

/** Removes folders that killed restores have left: they have all of an archive, with its keys. */
async function removeStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(stagingPrefix)) await rm(join(dataDir, name), { recursive: true, force: true });
}

/** Checks that no other process has the store open. Errors: a plain Error when one has. */
function checkStopped(store: string): void {
  if (!existsSync(store)) return;
  const db = new DatabaseSync(store);
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    // A damaged file is what a backup is restored for.
    if (error instanceof Error && /locked/.test(error.message))
      throw new Error(`${store} is in use: stop the controller first`, { cause: error });
  } finally {
    db.close();
  }
}

/**
 * Unpacks the archive, once it is found whole and the disk has room for it. Errors: plain Error; for a sealed one
 * without what opens it, too.
 */
async function unpack(archive: string, staging: string, opener: Opener | undefined): Promise<string> {
  if (!existsSync(archive)) throw new Error(`no archive at ${archive}`);
  const isClosed = isSealed(await startOf(archive));
  if (isClosed && !opener) throw new Error(`${archive} is sealed: give its passphrase or private key`);
  const packed = { path: archive, ...defined({ opener: isClosed ? opener : undefined }) };
  const bytes = await measureArchive(packed).catch((cause: unknown) => {
    throw new Error(`cannot open ${archive}: ${errorText(cause)}`, { cause });
  });
  const dataDir = dirname(staging);
  await checkRoom(dataDir, bytes + spareBytes);
  await unpackArchive(packed, staging).catch((cause: unknown) => {
    const want = `want ${inMiB(bytes + spareBytes)} in "${dataDir}"`;
    throw new Error(`cannot unpack ${archive}; ${want}: ${errorText(cause)}`, { cause });
  });
  return join(staging, top);
}

/** The first bytes of a file. */
async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16));
  return buffer.subarray(0, bytesRead);
}

async function checkMetadata(from: string, archive: string): Promise<string> {
  const metadata = await readFile(join(from, 'metadata.json'), 'utf8')
    .then((text) => JSON.parse(text) as { FormatVersion?: unknown; Started?: unknown } | null)
    .catch(() => undefined);
  if (metadata?.FormatVersion !== backupFormat)
    throw new Error(`${archive} is no backup of this program: format ${String(metadata?.FormatVersion)}`);
  return String(metadata.Started);
}

function checkSameController(dataDir: string, from: string): void {
  const { uuid } = readSettings(from);
  if (!existsSync(dataPaths(dataDir).settings)) return;
  const own = readSettings(dataDir).uuid;
  if (own !== uuid)
    throw new Error(`the backup is of controller ${uuid}, and ${dataDir} has controller ${own}`);
}

async function checkDatabase(path: string): Promise<void> {
  if (!(await lstat(path).catch(() => undefined))?.isFile())
    throw new Error(`the backup has no ${basename(path)}`);
  // It changes no more, so SQLite needs no files beside it, for which the disk may have no room.
  const db = new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  try {
    const found = db.prepare('PRAGMA quick_check').all();
    if (found.length !== 1 || found[0]?.['quick_check'] !== 'ok')
      throw new Error(`${basename(path)} in the backup is damaged`);
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version > schema.length)
      throw new Error(`the backup was made by a newer version (format ${version})`);
  } finally {
    db.close();
  }
}

/** Adds the blobs that are missing; each is named by its content. Errors: a plain Error when one was changed. */
async function addBlobs(from: string, to: string): Promise<void> {
  const found = await readdir(from, { withFileTypes: true, recursive: true }).catch(() => []);
  for (const entry of found) {
    if (!entry.isFile()) continue;
    const [file, folder] = [join(entry.parentPath, entry.name), join(to, entry.name.slice(0, 2))];
    if (existsSync(join(folder, entry.name))) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    if (hash.digest('hex') !== entry.name) throw new Error(`file ${entry.name} in the backup is damaged`);
    await makeFolder(folder, 0o700);
    await syncPath(file);
    await rename(file, join(folder, entry.name));
    await syncPath(folder);
  }
}

/** A controller's databases and settings, and the folder where they go. */
interface Aside {
  readonly files: readonly string[];
  readonly to: string;
}

/**
 * Makes a new folder of the data directory, which machines do not see, for what a controller has in `from`, if there is
 * anything.
 */
async function makeAside(from: string, dataDir: string): Promise<Aside[]> {
  const { store, contents, settings } = dataPaths(from);
  const files = [store, contents]
    .flatMap((path) => [path, `${path}-wal`, `${path}-shm`])
    .concat(settings)
    .filter((path) => existsSync(path));
  if (files.length === 0) return [];
  let n = 1;
  while (existsSync(join(dataDir, `${asidePrefix}${n}`))) n++;
  const to = join(dataDir, `${asidePrefix}${n}`);
  await mkdir(to, { mode: 0o700 });
  return [{ files, to }];
}

async function fillAside({ files, to }: Aside): Promise<void> {
  for (const path of files) await rename(path, join(to, basename(path)));
  await syncPath(to);
}
