import type { DatabaseSync } from 'node:sqlite';
import { JujuError } from '../../core/errors.ts';
import type { HeldFile } from '../held-file.ts';

/**
 * Holds the file of a database that only this process has open, as it is now: all that was committed is in it, and what
 * is written until the release stays in the write-ahead log. Errors: '' when it is held already.
 */
export function holdFile(db: DatabaseSync, path: string): HeldFile {
  const pages = Number(db.prepare('PRAGMA wal_autocheckpoint').get()?.['wal_autocheckpoint']);
  if (pages === 0) throw new JujuError('', `${path} is being copied already`);
  const { log, checkpointed } = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
  if (log !== checkpointed)
    throw new Error(`${path}: ${String(checkpointed)} of ${String(log)} pages were written`);
  db.exec('PRAGMA wal_autocheckpoint = 0');
  return {
    path,
    release() {
      if (db.isOpen) db.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
    },
  };
}
