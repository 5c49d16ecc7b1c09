import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * The database with its write-ahead log as long as it will ever be: SQLite goes on at its beginning after each
 * checkpoint, and a commit that does not make the file longer is one fsync instead of two
 * (facts: performance-reliability §4.1).
 */
export function openDatabase(path: string, schema: { version: number; sql: string }): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path);
  try {
    // Exclusive: a second controller on the same file would not see this one's mirror.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec(`PRAGMA wal_autocheckpoint = ${walPages}; PRAGMA cache_size = -16384`);
    migrate(db, path, schema);
    growLog(db, path);
    syncFolder(dirname(path));
    return db;
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new Error(`${path} is in use by another process`, { cause: error });
    }
    throw error;
  }
}

/** 4 MiB: longer lets a checkpoint write a page once for many changes of it, shorter makes checkpoints short. */
const walPages = 1024;
const pageBytes = 4096;

function migrate(db: DatabaseSync, path: string, schema: { version: number; sql: string }): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > schema.version) throw new Error(`${path} was written by a newer version (format ${version})`);
  if (version === schema.version) return;
  db.exec(`BEGIN; ${schema.sql}; PRAGMA user_version = ${schema.version}; COMMIT`);
}

function growLog(db: DatabaseSync, path: string): void {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < walPages * pageBytes) {
    // Two commits: pages that are free again at a commit would not be written.
    db.exec(
      `BEGIN; CREATE TABLE growth (filler BLOB); INSERT INTO growth VALUES (zeroblob(${walPages * pageBytes})); COMMIT`,
    );
    db.exec('DROP TABLE growth');
  }
  db.exec('PRAGMA wal_checkpoint(RESTART)');
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
