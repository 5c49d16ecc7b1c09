import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from './migrate.ts';
import { refuseCutOff } from './refuse-cut-off.ts';
import { isStoreError, storeProblem, unreadable } from './store-problem.ts';
import { makeFolderSync } from '../../kit/make-folder.ts';

/**
 * Opens the database with its write-ahead log at its full length: SQLite restarts at the log's beginning after each
 * checkpoint, and a commit that does not extend the file is one fsync instead of two.
 */
export function openDatabase({
  path,
  steps,
  maxBytes,
  logBytes = usualLogBytes,
}: {
  path: string;
  steps: readonly string[];
  maxBytes: number | undefined;
  logBytes?: number | undefined;
}): { db: DatabaseSync; problem: string | undefined } {
  makeFolderSync(dirname(path), 0o700);
  closeSync(openSync(path, 'a', 0o600));
  refuseCutOff(path);
  const db = new DatabaseSync(path);
  try {
    // Exclusive mode: a second controller on the same file would not see this one's mirror.
    db.exec(`PRAGMA page_size = ${newPageBytes}; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL`);
    const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
    db.exec(
      `PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${Math.floor(checkpointBytes / pageBytes)}`,
    );
    // Without the check, SQLite skips damaged rows without an error.
    db.exec('PRAGMA cache_size = -16384; PRAGMA cell_size_check = ON');
    migrate(db, path, steps);
    if (maxBytes !== undefined) db.exec(`PRAGMA max_page_count = ${Math.floor(maxBytes / pageBytes)}`);
    const problem = tryToWrite(db, path, logBytes);
    if (problem === undefined) syncFolder(dirname(path));
    return { db, problem };
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new Error(`${path} is in use by another process`, { cause: error });
    }
    throw unreadable(path, error);
  }
}

/**
 * Detects a full disk at opening, before the first change. The probe rewrites an existing page: where the file may
 * not grow, the probe succeeds and the first change that needs a page fails.
 */
function tryToWrite(db: DatabaseSync, path: string, logBytes: number): string | undefined {
  try {
    growLog(path, logBytes);
    db.exec('BEGIN IMMEDIATE; UPDATE horizon SET revision = revision; COMMIT');
    return undefined;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    if (!isStoreError(error)) throw error;
    return storeProblem(path, error);
  }
}

/** Page size of a new database: larger pages make bulk changes cheaper and single commits dearer. */
export const newPageBytes = 8192;
/**
 * Bytes between checkpoints: more lets a checkpoint write a page once for many changes of it, less makes checkpoints
 * short.
 */
const checkpointBytes = 4 * 1024 ** 2;
/** Length of the log, with room for the commit that goes beyond a checkpoint. */
const usualLogBytes = checkpointBytes + 400 * 1024;

/**
 * Extends the log with zeros, which SQLite ignores after the log's end. They are not synced here: opening stays fast,
 * and the first commit syncs them. When they do not fit on the disk, the remaining space is left free.
 */
function growLog(path: string, logBytes: number): void {
  const log = openSync(`${path}-wal`, 'r+');
  const { size } = fstatSync(log);
  const missing = logBytes - size;
  try {
    if (missing > 0 && writeSync(log, Buffer.alloc(missing), 0, undefined, size) < missing)
      throw Object.assign(new Error(`no room for ${path}-wal`), { code: 'ENOSPC' });
  } catch (error) {
    ftruncateSync(log, size);
    throw error;
  } finally {
    closeSync(log);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
