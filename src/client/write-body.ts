import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Dispatcher } from 'undici';
import { JujuError } from '../core/errors.ts';
import { checkRoom, inMiB } from '../kit/full-disk.ts';
import { errorText } from '../kit/system-error.ts';

/** Time in milliseconds after which a silent socket counts as dead. */
export const idleTimeoutMs = 60_000;

interface WriteOptions {
  /** `a` appends. */
  readonly flags: 'a' | 'w';
  /** Whether the content is on the disk at the end. */
  readonly flush?: boolean;
  /** Whether the disk must have room for all of it before it begins. */
  readonly checksRoom?: boolean;
  /** Is told each piece before it is written. Errors end the download. */
  readonly onPiece: (piece: Buffer) => void;
}

/**
 * Writes the body of an answer to a file. Errors: those of `writing`; of `onPiece`; any other when the connection
 * breaks: the part that came until then is in the file.
 */
export async function writeBody(
  { body, headers }: Dispatcher.ResponseData,
  path: string,
  { flags, flush = false, checksRoom = false, onPiece }: WriteOptions,
): Promise<void> {
  // A body that is left unread ends with an error, which nobody else may listen to.
  body.on('error', () => undefined);
  const bytes = Number(headers['content-length'] ?? 0);
  const file = path.replace(/\.partial$/, '');
  try {
    if (checksRoom) await writing(file, checkRoom(dirname(path), bytes));
    await using handle = await writing(file, open(path, flags, 0o600));
    for await (const piece of body as AsyncIterable<Buffer>) {
      onPiece(piece);
      await writing(file, handle.appendFile(piece), bytes);
    }
    if (flush) await writing(file, handle.sync(), bytes);
  } catch (error) {
    throw asIdleError(error);
  } finally {
    body.destroy();
  }
}

/**
 * Waits for work on a file of this host, which will have `bytes`. Errors: JujuError `` that names the file, the reason
 * and the room that it needs, so that no other address of the controller is tried for it.
 */
export async function writing<T>(path: string, work: Promise<T>, bytes = 0): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const want = bytes > 0 && isFull(cause) ? `; want ${inMiB(bytes)}` : '';
    throw new JujuError('', `cannot write ${path}: ${errorText(cause)}${want}`, { cause });
  }
}

function isFull(error: unknown): boolean {
  return ['EDQUOT', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '');
}

export function asIdleError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (!/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code ?? '')) return error;
  return new Error(`no answer for ${idleTimeoutMs / 1000} s`, { cause: error });
}
