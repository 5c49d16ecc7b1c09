/** Unpacks the archive of a backup (backups.md#backup-archive), apart from what writes one: controllers start with this. */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { WholeZstdFrames } from '../../kit/zstd-frame.ts';

/** Folder of the archive. */
export const top = 'juju-backup';
/** Bytes that are read or unpacked at once. */
export const piece = 1024 * 1024;

/**
 * Unpacks a stream of a file's content: its path, and what makes a tar file of it. tar itself keeps every file below
 * the folder `to`. Errors: plain Error with what tar said.
 */
export async function unpackArchive(
  [path, ...through]: readonly [string, ...Duplex[]],
  to: string,
): Promise<void> {
  const options = ['-x', '--no-same-owner', '--no-same-permissions', '-C', to, top];
  const child = spawn('tar', options, { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 1000)));
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const source = createReadStream(path, { highWaterMark: piece });
  const into = (content: AsyncIterable<Buffer>): Promise<void> => feed(child.stdin, content);
  const piped = pipeline([source, ...through, into] as unknown as [Readable, Writable]);
  const [code, fed] = await Promise.allSettled([ended, piped]);
  if (fed.status === 'rejected') throw fed.reason as Error;
  if (code.status === 'rejected') throw code.reason as Error;
  if (code.value !== 0) throw new Error(`tar failed: ${said.trim() || `exit status ${code.value}`}`);
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
