/** Upgrades of a database from an earlier format: docs/reference/store.md, "Formats". */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { functions } from './schema.ts';

/**
 * Brings the file to the newest format, in one transaction: each step makes the next format, and a new file takes them
 * all. A file of an earlier format is copied first, to `<path>.format-<N>`, in the place of earlier copies. Errors: a
 * plain Error for a file of a later format, which is left unchanged; node:sqlite's.
 */
export function migrate(db: DatabaseSync, path: string, steps: readonly string[]): void {
  const format = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (format > steps.length) throw new Error(laterFormat(path, format, steps.length));
  if (format === steps.length) return;
  if (format > 0) copyBefore(db, path, format);
  for (const [name, fn] of Object.entries(functions)) db.function(name, fn as (...args: unknown[]) => number);
  db.exec(`BEGIN; ${steps.slice(format).join('; ')}; PRAGMA user_version = ${steps.length}; COMMIT`);
}

/** Copies the database; a copy under its final name is whole. */
function copyBefore(db: DatabaseSync, path: string, format: number): void {
  const copy = `${path}.format-${format}`;
  const unfinished = `${copy}.new`;
  rmSync(unfinished, { force: true });
  // SQLite writes into an empty file, so that this one is its owner's alone from the beginning.
  closeSync(openSync(unfinished, 'wx', 0o600));
  try {
    db.prepare('VACUUM INTO ?').run(unfinished);
    sync(unfinished);
  } catch (error) {
    // Mostly the disk is full: the part of a copy would keep it so.
    rmSync(unfinished, { force: true });
    throw error;
  }
  for (const [, earlier] of copiesOf(path)) rmSync(earlier);
  renameSync(unfinished, copy);
  sync(dirname(path));
}

/** Lists the copies of the database beside it, by their formats. */
function copiesOf(path: string): [format: number, path: string][] {
  const folder = dirname(path);
  const beginning = `${basename(path)}.format-`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(beginning) && /^\d+$/.test(name.slice(beginning.length)))
    .map((name) => [Number(name.slice(beginning.length)), join(folder, name)]);
}

function laterFormat(path: string, format: number, known: number): string {
  const begin = `${path} was written by a newer version (format ${format}, and this program knows up to ${known})`;
  const copy = copiesOf(path).find(([of]) => of <= known)?.[1];
  return copy === undefined
    ? `${begin}: start that version`
    : `${begin}: start that version, or put ${copy}, from before the upgrade, in its place, without all that was done since`;
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
