import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkLimit, type Limit } from '../core/limits.ts';

/**
 * Writes a request's body to a file, chunk by chunk. Returns its SHA-256 (hex).
 * Errors: `quota limit exceeded` when it is larger than the limit; `what` names the file in that error.
 */
export async function receiveFile(
  body: NodeJS.ReadableStream,
  file: string,
  { maxBytes, description }: { maxBytes: number; description: string },
): Promise<string> {
  const limit: Limit = { max: maxBytes, unit: 'bytes', of: description };
  // What is too large by its header gets an answer; one that is cut off while it is sent may see none.
  if (body instanceof IncomingMessage) checkLimit(limit, Number(body.headers['content-length'] ?? 0));
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      try {
        checkLimit(limit, size);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  await pipeline(body, measure, createWriteStream(file, { mode: 0o600 }));
  return hash.digest('hex');
}
