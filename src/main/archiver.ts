/**
 * Process that makes one archive of a backup (backups.md#backup-archive): it is told what by the controller that starts
 * it, tells it when the databases may change again, and how it ended. Without the controller it ends at once.
 */
import { setPriority } from 'node:os';
import { makeArchive, type ArchiveRequest } from '../controller/backups/archive.ts';
import { errorText } from '../kit/system-error.ts';
import type { ArchiverMessage } from './controller/archiver.ts';

/** Lower than the controller's own: backups hold up nobody. */
const priority = 5;

const tell = (message: ArchiverMessage): void => void process.send?.(message);
setPriority(priority);
process.on('disconnect', () => process.exit(1));
process.once('message', (request) => void make(request as ArchiveRequest));

async function make(request: ArchiveRequest): Promise<void> {
  try {
    tell({ made: await makeArchive(request, () => tell({ written: true })) });
  } catch (error) {
    tell({ failed: errorText(error) });
  }
}
