/** Unpacks the archive of a backup (backups.md#backup-archive), apart from what writes one: controllers start with this. */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { PassThrough, Writable, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { Opener } from '../../kit/sealed/recipient.ts';
import { unseal } from '../../kit/sealed/sealed-stream.ts';
import { errorText } from '../../kit/system-error.ts';
import { WholeTar } from '../../kit/whole-tar.ts';
import { WholeZstdFrames } from '../../kit/zstd-frame.ts';

/** Folder of the archive. */
export const top = 'juju-backup';
/** Bytes that are read or unpacked at once. */
export const piece = 1024 * 1024;
/** Bytes of a disk that a file takes at least, and all that it takes are a multiple of. */
const blockBytes = 4096;

interface Packed {
  /** Path of the archive. */
  readonly path: string;
  /** What opens it; absent = it is not sealed. */
  readonly opener?: Opener;
}

/**
 * Reads an archive to its end. Returns the bytes that its files need on a disk. Errors: plain Error with the reason why
 * it is not one archive, whole and unchanged.
 */
export async function measureArchive(packed: Packed): Promise<number> {
  let bytes = 0;
  const tar = new WholeTar((size) => (bytes += Math.max(1, Math.ceil(size / blockBytes)) * blockBytes));
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  try {
    await pipeline([...reading(packed), tar, nowhere] as unknown as [Readable, Writable]);
  } catch (cause) {
    if (cause instanceof Unopened) throw cause;
    throw new Error(`it is no backup, or was cut off: ${errorText(cause)}`, { cause });
  }
  return bytes;
}

/**
 * Unpacks an archive that was measured. tar itself keeps every file below the folder `to`. Errors: plain Error with
 * what tar said.
 */
export async function unpackArchive(packed: Packed, to: string): Promise<void> {
  const options = ['-x', '--no-same-owner', '--no-same-permissions', '-C', to, top];
  const env = { ...process.env, LC_ALL: 'C' };
  const child = spawn('tar', options, { stdio: ['pipe', 'ignore', 'pipe'], env });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 1000)));
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const into = (content: AsyncIterable<Buffer>): Promise<void> => feed(child.stdin, content);
  const piped = pipeline([...reading(packed), into] as unknown as [Readable, Writable]);
  const [code, fed] = await Promise.allSettled([ended, piped]);
  if (fed.status === 'rejected') throw fed.reason as Error;
  if (code.status === 'rejected') throw code.reason as Error;
  if (/: No space left on device|: Disk quota exceeded|: Wrote only /.test(said))
    throw new Error('no space left on device');
  if (code.value !== 0) throw new Error(`tar failed: ${said.trim() || `exit status ${code.value}`}`);
}

/** Why an archive cannot be read, or its seal not be opened. */
class Unopened extends Error {}

/** Steps of a pipeline that make a tar file of an archive. */
function reading({ path, opener }: Packed): unknown[] {
  async function* opened(): AsyncGenerator<Buffer, void, undefined> {
    const source = createReadStream(path, { highWaterMark: piece });
    const unsealing = opener && unseal(opener);
    // Its error also ends what is read below. As a step of the outer pipeline, it would fail that one by itself.
    if (unsealing) pipeline(source, unsealing).catch(() => undefined);
    try {
      yield* (unsealing ?? source) as AsyncIterable<Buffer>;
    } catch (cause) {
      throw new Unopened(errorText(cause), { cause });
    }
  }
  return [opened, decompressed];
}

/** Makes a tar file of a compressed one, whose first bytes tell how it is compressed. */
async function* decompressed(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  const form = first.done ? undefined : compressionOf(first.value);
  if (!form) throw new Error('it begins neither as zstd nor as gzip');
  async function* all(): AsyncGenerator<Buffer, void, undefined> {
    yield first.value as Buffer;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  const tar = new PassThrough({ highWaterMark: piece });
  const piped = pipeline([all(), ...decompression(form), tar] as unknown as [Readable, Writable]);
  // Its error also ends the tar file.
  piped.catch(() => undefined);
  yield* tar as AsyncIterable<Buffer>;
}

/** What makes a tar file of a compressed one. gzip is what the first archives had. */
export function decompression(form: 'gzip' | 'zstd'): readonly Duplex[] {
  if (form === 'gzip') return [createGunzip({ chunkSize: piece, rejectGarbageAfterEnd: true })];
  return [new WholeZstdFrames(), createZstdDecompress({ chunkSize: piece })];
}

/** How a content is compressed that begins so; undefined: otherwise. */
export function compressionOf(start: Uint8Array): 'gzip' | 'zstd' | undefined {
  const begins = (...bytes: number[]): boolean => bytes.every((byte, i) => start[i] === byte);
  if (begins(0x28, 0xb5, 0x2f, 0xfd)) return 'zstd';
  return begins(0x1f, 0x8b) ? 'gzip' : undefined;
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
