/** Downloads of backups (backups.md#download). */
import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { JujuError } from '../core/errors.ts';
import { syncPath } from '../kit/sync-path.ts';
import { firstThatAnswers } from './connect.ts';
import { send, type HttpOptions } from './http.ts';
import { writeBody, writing } from './write-body.ts';

export interface BackupDownload extends HttpOptions {
  readonly modelUuid: string;
  /** Path of the archive on the controller's host. */
  readonly id: string;
  /** Path where the archive is written; it appears there when it is complete. */
  readonly file: string;
}

/**
 * Downloads a backup to the disk. Until receivedBackup it stays on the controller. Errors: those of the answer; `` when
 * it was changed on the way; those of `writing`.
 */
export async function downloadBackup({ file, ...asked }: BackupDownload): Promise<void> {
  const { id } = asked;
  const partial = `${file}.partial`;
  await firstThatAnswers(asked.addresses, asked.signal, async (address) => {
    const response = await request(asked, address, 'GET', '?keep=true');
    const hash = createHash('sha256');
    const onPiece = (piece: Buffer): void => void hash.update(piece);
    try {
      await writeBody(response, partial, { flags: 'w', flush: true, checksRoom: true, onPiece });
      const [digest, told] = [`SHA-256=${hash.digest('base64')}`, response.headers['digest']];
      if (told !== undefined && told !== digest)
        throw new JujuError('', `backup ${id} has digest ${digest}, expected ${String(told)}`);
      await writing(file, rename(partial, file));
      await writing(file, syncPath(dirname(file)));
    } finally {
      await rm(partial, { force: true });
    }
  });
}

/**
 * Tells the controller that a backup was downloaded, which then removes it, unless its schedule keeps it. Errors: those
 * of the answer.
 */
export async function receivedBackup(asked: Omit<BackupDownload, 'file'>): Promise<void> {
  await firstThatAnswers(asked.addresses, asked.signal, async (address) => {
    const { body } = await request(asked, address, 'DELETE');
    await body.dump();
  });
}

function request(
  { modelUuid, id, ...options }: Omit<BackupDownload, 'file'>,
  address: string,
  method: 'DELETE' | 'GET',
  query = '',
): ReturnType<typeof send> {
  return send(options, address, {
    method,
    path: `/model/${modelUuid}/backups${query}`,
    headers: { 'Content-Type': 'application/json' },
    text: JSON.stringify({ id }),
  });
}
