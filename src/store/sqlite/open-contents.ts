import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { JujuError } from '../../core/errors.ts';
import type { ContentStore } from '../contents.ts';
import { holdFile } from './hold-file.ts';
import { isStoreError, storeProblem } from './store-problem.ts';

/**
 * Opens the file of contents, mode 0600. SQLite overwrites what is deleted (secure_delete), and the write-ahead log is
 * emptied after each erasure.
 */
export function openContents(path: string): ContentStore {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const db = new DatabaseSync(path);
  const told = <T>(fn: () => T): T => {
    try {
      return fn();
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      if (!isStoreError(error)) throw error;
      throw new JujuError('try again', storeProblem(path, error), { cause: error });
    }
  };
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec('PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON');
    db.exec('CREATE TABLE IF NOT EXISTS content (key TEXT PRIMARY KEY, sealed TEXT NOT NULL)');
  } catch (error) {
    db.close();
    throw isStoreError(error) ? new Error(storeProblem(path, error), { cause: error }) : error;
  }
  const insert = db.prepare('INSERT OR IGNORE INTO content VALUES (?, ?)');
  const select = db.prepare('SELECT sealed FROM content WHERE key = ?');
  const selectKeys = db.prepare('SELECT key FROM content WHERE key >= ? AND key < ?');
  const remove = db.prepare('DELETE FROM content WHERE key = ?');
  const inTransaction = (fn: () => void): void =>
    told(() => {
      db.exec('BEGIN IMMEDIATE');
      fn();
      db.exec('COMMIT');
    });
  const emptyLog = (): void => told(() => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  let isHeld = false;
  return {
    put(contents) {
      if (contents.length === 0) return;
      inTransaction(() => {
        for (const { key, sealed } of contents) insert.run(key, sealed);
      });
    },
    get: (key) => told(() => select.get(key)?.['sealed'] as string | undefined),
    keys: (beginning = '') =>
      told(() => selectKeys.all(beginning, `${beginning}\u{10ffff}`).map((row) => row['key'] as string)),
    erase(keys) {
      if (keys.length === 0) return;
      inTransaction(() => {
        for (const key of keys) remove.run(key);
      });
      if (!isHeld) emptyLog();
    },
    holdFile() {
      const held = holdFile(db, path);
      isHeld = true;
      return {
        path,
        release() {
          isHeld = false;
          held.release();
          // Contents that were erased meanwhile are still in the write-ahead log.
          if (db.isOpen) emptyLog();
        },
      };
    },
    close() {
      if (db.isOpen) db.close();
    },
  };
}
