import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { JujuError } from '../core/errors.ts';

/**
 * Writes what is sent to a file, a piece at a time. Returns its SHA-256 (hex). Errors: `bad request` when it is larger
 * than it may be; `what` it is, is for that.
 */
export async function receiveFile(
  body: NodeJS.ReadableStream,
  file: string,
  { maxBytes, what }: { maxBytes: number; what: string },
): Promise<string> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      if (size > maxBytes) done(new JujuError('bad request', `${what} is larger than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  await pipeline(body, measure, createWriteStream(file, { mode: 0o600 }));
  return hash.digest('hex');
}
