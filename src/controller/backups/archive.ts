/**
 * Writes the archive of a backup, sealed or not, and reads it back (backups.md#backup-archive). This is work of a
 * process of its own: in the controller's, each piece of a gigabyte would make the collector look through its memory.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough, Transform, type Duplex, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Recipient } from '../../kit/sealed/recipient.ts';
import { sealFor, type Seal } from '../../kit/sealed/sealed-stream.ts';
import { WholeZstdFrames } from '../../kit/zstd-frame.ts';

/** The files without which an archive is no backup. */
const archived = ['metadata.json', 'controller.json', 'store.db', 'secrets.db'] as const;

interface Archive {
  /** Path of the archive. */
  readonly path: string;
  /** Folder with the folder `juju-backup`. */
  readonly staging: string;
  readonly seal: Seal | undefined;
  readonly signal: AbortSignal;
}

interface Contents {
  /** Paths of the databases, which must not change until the archive is written. */
  readonly databases: readonly string[];
  /** File with the paths of blobs within `blobsDir`, a line each. */
  readonly list: string;
  readonly blobsDir: string;
}

export interface ArchiveRequest extends Contents, Pick<Archive, 'path' | 'staging'> {
  /** Whom it is sealed for; absent = it is not. */
  readonly recipient?: Recipient;
}

export interface ArchiveMade {
  /** Bytes of the archive. */
  readonly size: number;
  /** SHA-1 of the archive in base64. */
  readonly checksum: string;
}

/** Makes an archive; `onWritten` is called as soon as the databases may change again. */
export type Archiver = (
  request: ArchiveRequest,
  events: { readonly signal: AbortSignal; readonly onWritten: () => void },
) => Promise<ArchiveMade>;

/** Makes an archive in this process. Errors: plain Error with the reason. */
export const makeArchive: Archiver = async ({ recipient, path, staging, ...contents }, events) => {
  const archive = { path, staging, seal: recipient && sealFor(recipient), signal: events.signal };
  await writeArchive(archive, contents);
  events.onWritten();
  // The disk writes while the archive is read back.
  const [checked, synced] = await Promise.allSettled([verifyArchive(archive), syncArchive(path)]);
  if (checked.status === 'rejected') throw checked.reason as Error;
  if (synced.status === 'rejected') throw synced.reason as Error;
  return { size: (await stat(path)).size, checksum: checked.value };
};

/**
 * Writes an archive of the folder, the databases and blobs. It is not on the disk for sure before `syncArchive`.
 * Errors: plain Error with what tar said.
 */
export async function writeArchive(
  { path, staging, seal, signal }: Archive,
  { databases, list, blobsDir }: Contents,
): Promise<void> {
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  const place = String.raw`--transform=s,^\([0-9a-f][0-9a-f]/\),juju-backup/blobs/\1,;s,^\([a-z]*\.db\)$,juju-backup/\1,`;
  const files = databases.flatMap((file) => ['-C', dirname(file), basename(file)]);
  const blobs = ['-C', blobsDir, '--no-recursion', '-T', list];
  const tar = ['-c', ...owner, place, '-C', staging, 'juju-backup', ...files, ...blobs];
  await runPiped(tar, signal, ({ stdout }) =>
    pipeline([
      stdout,
      createZstdCompress({ chunkSize: piece, params: compression }),
      ...(seal ? [seal.sealing] : []),
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    ] as [Readable, ...Duplex[], Writable]),
  );
}

const piece = 256 * 1024;
/** A fast level, which passes on what is compressed already; the checksum is that of the whole content. */
const compression = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };

/** Puts an archive on the disk. */
async function syncArchive(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

/**
 * Reads an archive as a restore does: the seal, the checksum of the whole, and both databases. What is in the folder
 * must not be needed any more, for its room is. Returns the archive's SHA-1 in base64. Errors: plain Error.
 */
export async function verifyArchive({ path, staging, seal, signal }: Archive): Promise<string> {
  await rm(join(staging, 'juju-backup'), { recursive: true });
  const to = join(staging, 'read-back');
  await mkdir(to, { mode: 0o700 });
  const hash = createHash('sha1');
  const hashing = new Transform({
    transform(bytes: Buffer, _encoding, callback) {
      hash.update(bytes);
      callback(null, bytes);
    },
  });
  const names = archived.map((name) => `juju-backup/${name}`);
  const through = [hashing, seal?.opening() ?? new PassThrough(), ...decompression('zstd')];
  await unpackArchive([path, ...through], to, names, signal);
  for (const name of ['store.db', 'secrets.db']) {
    const found = quickCheck(join(to, 'juju-backup', name));
    if (found !== 'ok') throw new Error(`${name} in the backup is damaged: ${found}`);
  }
  return hash.digest('base64');
}

/** What SQLite says of a database, which is `ok`. */
function quickCheck(path: string): string {
  try {
    using db = new DatabaseSync(path);
    const rows = db.prepare('PRAGMA quick_check').all();
    return rows.map((row) => row['quick_check']).join(', ');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Unpacks the named files and folders from a stream of a file's content: its path, and what makes a tar file of it. tar
 * itself keeps every file below the folder `to`. Errors: plain Error.
 */
export async function unpackArchive(
  [path, ...through]: readonly [string, ...Duplex[]],
  to: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const tar = ['-x', '--no-same-owner', '--no-same-permissions', '-C', to, ...names];
  const source = createReadStream(path, { highWaterMark: piece });
  await runPiped(tar, signal, ({ stdin }) =>
    pipeline([source, ...through, (content: AsyncIterable<Buffer>) => feed(stdin, content)] as unknown as [
      Readable,
      Writable,
    ]),
  );
}

/** What makes a tar file of a compressed one. gzip is what the first archives had. */
export function decompression(form: 'gzip' | 'zstd'): readonly Duplex[] {
  if (form === 'gzip') return [createGunzip({ chunkSize: piece })];
  return [new WholeZstdFrames(), createZstdDecompress({ chunkSize: piece })];
}

/** How a content is compressed that begins so; undefined: otherwise. */
export function compressionOf(start: Uint8Array): 'gzip' | 'zstd' | undefined {
  const begins = (...bytes: number[]): boolean => bytes.every((byte, i) => start[i] === byte);
  if (begins(0x28, 0xb5, 0x2f, 0xfd)) return 'zstd';
  return begins(0x1f, 0x8b) ? 'gzip' : undefined;
}

/** Runs tar with a pipe at one of its ends. Errors: plain Error with what tar said. */
async function runPiped(
  args: readonly string[],
  signal: AbortSignal,
  pipe: (ends: { readonly stdin: Writable; readonly stdout: Readable }) => Promise<void>,
): Promise<void> {
  const child = spawn('tar', args, { stdio: ['pipe', 'pipe', 'pipe'], signal });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 1000)));
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [code, piped] = await Promise.allSettled([ended, pipe(child)]);
  if (piped.status === 'rejected') throw piped.reason as Error;
  if (code.status === 'rejected') throw code.reason as Error;
  if (code.value !== 0) throw new Error(`tar failed: ${said.trim() || `exit status ${code.value}`}`);
}

/** Reads all content, of which tar may not want the end: what it does not take is read nevertheless, and so checked. */
async function feed(stdin: Writable, content: AsyncIterable<Buffer>): Promise<void> {
  const ended = new Promise<void>((resolve) => stdin.on('error', () => resolve()).on('close', resolve));
  try {
    for await (const piece of content)
      if (stdin.writable && !stdin.write(piece))
        await Promise.race([ended, new Promise<void>((resolve) => stdin.once('drain', resolve))]);
  } finally {
    stdin.end();
  }
}
