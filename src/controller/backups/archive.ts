/** Writes the archive of a backup, sealed or not, and reads it back (backups.md#backup-archive). */
import { execFile, spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import type { Seal } from '../../kit/sealed/sealed-stream.ts';

const run = promisify(execFile);
/** The files without which an archive is no backup. */
export const archived = ['metadata.json', 'controller.json', 'store.db', 'secrets.db'] as const;

export interface Archive {
  /** Path of the archive. */
  readonly path: string;
  /** Folder with the folder `juju-backup`. */
  readonly staging: string;
  readonly seal: Seal | undefined;
  readonly signal: AbortSignal;
}

/**
 * Writes an archive of the folder, and of blobs. `list`: file with the paths of those within `blobsDir`, a line each.
 */
export async function writeArchive(
  { path, staging, seal, signal }: Archive,
  { list, blobsDir }: { readonly list: string; readonly blobsDir: string },
): Promise<void> {
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  const place = String.raw`--transform=s,^\([0-9a-f][0-9a-f]/\),juju-backup/blobs/\1,`;
  const parts = ['-C', staging, 'juju-backup', '-C', blobsDir, '--no-recursion', '-T', list];
  // Most of an archive is compressed already.
  const tar = ['-c', '-I', 'gzip -1', ...owner, place, ...parts];
  await using file = await open(path, 'wx', 0o600);
  if (seal)
    await runPiped(tar, signal, ({ stdout }) =>
      pipeline(stdout, seal.sealing, createWriteStream(path, { flags: 'r+' })),
    );
  else await run('tar', [...tar, '-f', path], { signal });
  await file.sync();
}

/**
 * Reads an archive from the disk as a restore does: the seal, the checksum of the compressed whole, and both databases.
 * What is in the folder must not be needed any more, for its room is. Errors: plain Error.
 */
export async function verifyArchive({ path, staging, seal, signal }: Archive): Promise<void> {
  await rm(join(staging, 'juju-backup'), { recursive: true });
  const to = join(staging, 'read-back');
  await mkdir(to, { mode: 0o700 });
  const tar = ['-x', '--no-same-owner', '-C', to, ...archived.map((name) => `juju-backup/${name}`)];
  const opening = seal ? seal.opening() : new PassThrough();
  await runPiped(tar, signal, ({ stdin }) =>
    pipeline(createReadStream(path), opening, createGunzip(), (content: AsyncIterable<Buffer>) =>
      feed(stdin, content),
    ),
  );
  for (const name of ['store.db', 'secrets.db']) {
    // In another process, since it takes seconds for a gigabyte.
    const { stdout } = await run(process.execPath, ['-e', quickCheck, join(to, 'juju-backup', name)], {
      signal,
    });
    if (stdout.trim() !== 'ok') throw new Error(`${name} in the backup is damaged: ${stdout.trim()}`);
  }
}

const quickCheck = `process.removeAllListeners('warning');
try {
  const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  console.log(db.prepare('PRAGMA quick_check').all().map((row) => row.quick_check).join(', '));
} catch (error) {
  console.log(error.message);
}`;

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
