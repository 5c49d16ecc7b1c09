import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { refuseCutOff } from './refuse-cut-off.ts';
import { functions } from './schema.ts';
import { isStoreError, storeProblem, unreadable } from './store-problem.ts';

/**
 * The database with its write-ahead log as long as it will ever be: SQLite goes on at its beginning after each
 * checkpoint, and a commit that does not make the file longer is one fsync instead of two.
 */
export function openDatabase({
  path,
  steps,
  maxBytes,
}: {
  path: string;
  steps: readonly string[];
  maxBytes: number | undefined;
}): { db: DatabaseSync; problem: string | undefined } {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  refuseCutOff(path);
  const db = new DatabaseSync(path);
  try {
    // Exclusive: a second controller on the same file would not see this one's mirror.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA cache_size = -16384`);
    migrate(db, path, steps);
    if (maxBytes !== undefined) db.exec(`PRAGMA max_page_count = ${Math.floor(maxBytes / pageBytes)}`);
    const problem = tryToWrite(db, path);
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
 * Of a full disk one learns here, and not by the first change. The page that is written is one that is there: where the
 * file itself may not grow, the probe does not fail, and the first change that needs a page does.
 */
function tryToWrite(db: DatabaseSync, path: string): string | undefined {
  try {
    growLog(path);
    db.exec('BEGIN IMMEDIATE; UPDATE horizon SET revision = revision; COMMIT');
    return undefined;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    if (!isStoreError(error)) throw error;
    return storeProblem(path, error);
  }
}

/** 4 MB: more lets a checkpoint write a page once for many changes of it, less makes checkpoints short. */
const checkpointPages = 1000;
/** Room for the commit that goes beyond it. */
const walPages = checkpointPages + 100;
const pageBytes = 4096;

/** Each step makes the format's next version; a new file takes them all. */
function migrate(db: DatabaseSync, path: string, steps: readonly string[]): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > steps.length) throw new Error(`${path} was written by a newer version (format ${version})`);
  if (version === steps.length) return;
  for (const [name, fn] of Object.entries(functions)) db.function(name, fn as (...args: unknown[]) => number);
  db.exec(`BEGIN; ${steps.slice(version).join('; ')}; PRAGMA user_version = ${steps.length}; COMMIT`);
}

/**
 * Zeros after the log's end mean nothing to SQLite. They are not synced here: opening stays fast, and the first
 * commit takes them along. Where there is no room for all of them, what there is is left to others.
 */
function growLog(path: string): void {
  const log = openSync(`${path}-wal`, 'r+');
  const { size } = fstatSync(log);
  const missing = walPages * pageBytes - size;
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
