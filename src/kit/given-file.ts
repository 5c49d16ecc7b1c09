/** Files, pipes and devices that a user names: reading one may never end by itself. */
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { JujuError, notValid } from '../core/errors.ts';
import { unreadable } from './system-error.ts';

/** Folders that the names of files are relative to. */
export interface Folders {
  readonly cwd: string;
  /** Folder that `~/` stands for. */
  readonly home: string;
}

/** Means of reading files that a user names. */
export interface GivenFiles extends Folders {
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** The absolute path of a file that a user names. */
export function pathOf({ cwd, home }: Folders, name: string): string {
  return resolve(cwd, name.replace(/^~(?=\/)/, home));
}

/**
 * Reads what a user names to its end. Errors: JujuError that names it: `not found`; `not valid` when it is longer than
 * `maxBytes`; '' for others, such as a folder.
 */
export async function readGiven(files: GivenFiles, name: string, maxBytes: number): Promise<Buffer> {
  try {
    // A call that waits for the writer of a pipe could not be ended, nor could the process.
    const fd = openSync(pathOf(files, name), constants.O_RDONLY | constants.O_NONBLOCK);
    return await readToEnd(streamOf(fd), name, { maxBytes, signal: files.signal });
  } catch (error) {
    if (error instanceof JujuError || files.signal.aborted) throw error;
    const code = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not found' : '';
    throw new JujuError(code, unreadable(name, error), { cause: error });
  }
}

/** Reads a stream to its end. `name`: for errors. Errors: `not valid` when it is longer than `maxBytes`. */
export async function readToEnd(
  stream: Readable,
  name: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw notValid(`${name}: larger than ${shown(maxBytes)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The stream of an open file. Only those of Node for pipes and terminals wait where there is nothing to read yet. */
function streamOf(fd: number): Readable {
  if (isatty(fd)) return new ReadStream(fd);
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return createReadStream('', { fd });
}

function shown(bytes: number): string {
  const mib = bytes / 1024 / 1024;
  return mib < 1 ? `${bytes} bytes` : `${mib} MiB`;
}
