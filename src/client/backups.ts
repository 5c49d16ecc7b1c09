/** Downloads of backups (backups.md#backup-archive). */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { JujuError } from '../core/errors.ts';
import { firstThatAnswers } from './connect.ts';
import { asIdleError, send, type HttpOptions } from './http.ts';

export interface BackupDownload extends HttpOptions {
  readonly modelUuid: string;
  /** Path of the archive on the controller's host. */
  readonly id: string;
  /** Path where the archive is written; it appears there when it is complete. */
  readonly file: string;
}

/**
 * Downloads a backup, which is then gone from the controller. Errors: those of the answer; `not valid` when it was
 * changed.
 */
export async function downloadBackup({ modelUuid, id, file, ...options }: BackupDownload): Promise<void> {
  const partial = `${file}.partial`;
  await firstThatAnswers(options.addresses, options.signal, async (address) => {
    const { headers, body } = await send(options, address, {
      method: 'GET',
      path: `/model/${modelUuid}/backups`,
      headers: { 'Content-Type': 'application/json' },
      text: JSON.stringify({ id }),
    });
    const hash = createHash('sha256');
    const measure = new Transform({
      transform(chunk: Buffer, _encoding, callback) {
        hash.update(chunk);
        callback(null, chunk);
      },
    });
    try {
      await pipeline(body, measure, createWriteStream(partial, { mode: 0o600, flush: true })).catch(
        (error: unknown) => {
          throw asIdleError(error);
        },
      );
      const digest = `SHA-256=${hash.digest('base64')}`;
      if (headers['digest'] !== undefined && headers['digest'] !== digest)
        throw new JujuError(
          'not valid',
          `backup ${id} has digest ${digest}, expected ${String(headers['digest'])}`,
        );
      await rename(partial, file);
    } finally {
      await rm(partial, { force: true });
    }
  });
}
