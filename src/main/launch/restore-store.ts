/** The store of a controller that goes back to the program before. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Puts the copy of the store that the new program made before it converted it in the store's place, when it has
 * converted it. Nothing was changed since: a program that is tried accepts no changes. May be killed and run again.
 * Errors: a plain Error when there is no such copy; node:sqlite's.
 */
export async function restoreStore(dataDir: string, format: number): Promise<void> {
  const store = join(dataDir, 'store.db');
  const copy = `${store}.format-${format}`;
  if ((await foldedFormat(store)) <= format) return;
  if (!existsSync(copy))
    throw new Error(`${store} was converted by the program that did not come up, and ${copy} is missing`);
  renameSync(copy, store);
  const folder = openSync(dirname(store), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Returns the format of the database, and folds its log into it: the log would be taken for that of the copy. */
async function foldedFormat(store: string): Promise<number> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(store);
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE');
    return Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  } finally {
    db.close();
  }
}
