/**
 * Writes the archive of a backup, sealed or not, and reads it back (backups.md#backup-archive). This is work of a
 * process of its own: in the controller's, each piece of a gigabyte would make the collector look through its memory.
 */
import { createHash } from 'node:crypto';
import { open, readdir, readFile, stat, type FileHandle } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable, type Duplex, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { constants, createZstdCompress } from 'node:zlib';
import type { Recipient } from '../../kit/sealed/recipient.ts';
import { sealFor, type Seal } from '../../kit/sealed/sealed-stream.ts';
import { errorText } from '../../kit/system-error.ts';
import { readTar, tarOf } from '../../kit/tar.ts';
import { decompression, piece, top } from './unpack-archive.ts';

/** The files without which an archive is no backup. */
const needed = ['metadata.json', 'controller.json', 'store.db', 'secrets.db'] as const;

/** Steps of a pipeline, of which the last passes bytes on. */
type Steps = readonly (
  | AsyncIterable<Buffer>
  | Duplex
  | ((content: AsyncIterable<Buffer>) => AsyncIterable<Buffer>)
)[];

interface Written {
  readonly steps: Steps;
  /** Names of all files and folders of the archive. */
  readonly names: readonly string[];
}

interface Contents {
  /** Path of the archive. */
  readonly path: string;
  /** Folder with the folder `juju-backup`. */
  readonly staging: string;
  /** Paths of the databases, which must not change until the archive is written. */
  readonly databases: readonly string[];
  /** File with the paths of blobs within `blobsDir`, a line each. */
  readonly list: string;
  readonly blobsDir: string;
}

export interface ArchiveRequest extends Contents {
  /** Whom it is sealed for; absent = it is not. */
  readonly recipient?: Recipient;
}

export interface ArchiveMade {
  /** Bytes of the archive. */
  readonly size: number;
  /** SHA-1 of the archive in base64. */
  readonly checksum: string;
}

/** What makes one archive, and ends when it is disposed of. */
export interface Archiver extends Disposable {
  /**
   * Makes the archive; `onWritten` is called as soon as the databases may change again. Errors: plain Error with the
   * reason.
   */
  make(request: ArchiveRequest, onWritten: () => void): Promise<ArchiveMade>;
}

/** Starts an archiver before it is known what it is to make: a process takes its time. It ends with the signal. */
export type StartArchiver = (signal: AbortSignal) => Archiver;

/** Makes an archive in this process. Errors: plain Error with the reason. */
export async function makeArchive(
  { recipient, ...contents }: ArchiveRequest,
  onWritten: () => void,
): Promise<ArchiveMade> {
  const seal = recipient && sealFor(recipient);
  const { steps, names } = await writing(contents, seal, onWritten);
  const checksum = await verifyArchive(steps, names, seal);
  return { size: (await stat(contents.path)).size, checksum };
}

/**
 * Steps of a pipeline that write an archive of the folder, the databases and blobs, put it on the disk, and pass on
 * what they read back of it, behind the place that is written. Of the folder, links and all else that is neither a file
 * nor a folder are left out: a link among the logs may lead anywhere. Errors: plain Error with the reason.
 */
export async function writing(
  { path, staging, databases, list, blobsDir }: Contents,
  seal: Seal | undefined,
  onWritten: () => void,
): Promise<Written> {
  const all = await readdir(staging, { recursive: true, withFileTypes: true });
  const inside = all.filter((one) => one.isFile() || one.isDirectory());
  const blobs = (await readFile(list, 'utf8')).split('\n').filter((name) => name !== '');
  const sources = [
    ...inside.map(({ parentPath, name }) => ({
      name: join(relative(staging, parentPath), name),
      path: join(parentPath, name),
    })),
    ...databases.map((database) => ({ name: join(top, basename(database)), path: database })),
    ...blobs.map((name) => ({ name: join(top, 'blobs', name), path: join(blobsDir, name) })),
  ];
  async function* store(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    await using file = await open(path, 'wx+', 0o600);
    yield* readBack(file, content);
    const synced = file.sync();
    for (const database of databases) checkDatabase(database);
    onWritten();
    await synced;
  }
  const packing = createZstdCompress({ chunkSize: piece, params: compression });
  const steps = [tarOf(sources, piece), packing, ...(seal ? [seal.sealing] : []), ahead, store, ahead];
  return { steps, names: sources.map(({ name }) => name) };
}

/**
 * Writes pieces to a file, and passes on what it then has, in the same memory. The disk begins to write meanwhile.
 */
async function* readBack(
  file: FileHandle,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  let begun = 0;
  let synced = Promise.resolve();
  for await (const bytes of content) {
    await file.appendFile(bytes);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size);
    size += bytesRead;
    yield bytes.subarray(0, bytesRead);
    if (size < begun + syncBytes) continue;
    begun = size;
    await synced;
    synced = file.datasync();
  }
  await synced;
}

/** Lets the steps before it go on by some pieces while those after it work. */
function ahead(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return Readable.from(content, { highWaterMark: 4 });
}

const syncBytes = 16 * 1024 * 1024;
/** A fast level, which passes on what is compressed already; the checksum is that of the whole content. */
const compression = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };

/**
 * Reads an archive, which the steps pass on, as a restore does: the seal, the checksum of the whole, and whether all
 * names are in it. Returns its SHA-1 in base64. Errors: plain Error.
 */
export async function verifyArchive(
  content: Steps,
  names: readonly string[],
  seal: Seal | undefined,
): Promise<string> {
  const hash = createHash('sha1');
  const missing = new Set([...needed.map((name) => join(top, name)), ...names]);
  async function* hashed(archive: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const bytes of archive) {
      hash.update(bytes);
      yield bytes;
    }
  }
  const tar = readTar((name) => missing.delete(name));
  const steps = [...content, hashed, ...(seal ? [seal.opening()] : []), ...decompression('zstd'), tar];
  await pipeline(steps as unknown as [Readable, Writable]);
  for (const name of missing) throw new Error(`${name} is not in the backup`);
  return hash.digest('base64');
}

/**
 * Checks a database whose file does not change: it takes no locks, and reads no write-ahead log. Errors: plain Error
 * with what SQLite says.
 */
function checkDatabase(path: string): void {
  let found: string;
  try {
    using db = new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
    const rows = db.prepare('PRAGMA quick_check').all();
    found = rows.map((row) => row['quick_check']).join(', ');
  } catch (error) {
    found = errorText(error);
  }
  if (found !== 'ok') throw new Error(`${basename(path)} in the backup is damaged: ${found}`);
}
