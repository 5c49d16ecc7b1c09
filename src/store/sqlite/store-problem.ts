import { dirname } from 'node:path';

const page = 'docs/reference/store.md';

/**
 * Explains why a database took no change or cannot be read, and what to do. Shapes of errors: node:sqlite's and
 * node:fs's.
 */
export function storeProblem(path: string, error: unknown): string {
  const { errcode, code, message } = error as Error & { errcode?: number; code?: string };
  switch (code === 'ENOSPC' ? sqliteFull : code === 'EROFS' ? sqliteReadOnly : (errcode ?? 0) & 0xff) {
    case sqliteFull:
      return `the disk of ${path} is full: free some space (grigri store-report lists what takes it); the next change then succeeds; see ${page}`;
    case sqliteReadOnly:
      return `${path} cannot be written to (read-only file system, or permissions); see ${page}`;
    case sqliteIoError:
      return `the disk of ${path} has failed (${message}); see ${page}`;
    case sqliteCorrupt:
    case sqliteNotADatabase:
      return `${path} is damaged (${message}): stop the controller, then restore a copy of its folder or run ${repairCommand(path)}; see ${page}`;
    default:
      return message;
  }
}

/** The repair command, quoted so that it can be copied into a shell. */
export function repairCommand(path: string): string {
  return `"grigri store-repair --data-dir ${dirname(path)}"`;
}

/** Whether an error is the fault of the disk or the file, and not of this program. */
export function isStoreError(error: unknown): boolean {
  const { errcode = 0, code = '' } = error as { errcode?: number; code?: string };
  const known = [sqliteReadOnly, sqliteIoError, sqliteCorrupt, sqliteFull, sqliteNotADatabase];
  return known.includes(errcode & 0xff) || code === 'ENOSPC' || code === 'EROFS';
}

/** Whether an error says that the disk is full, for the store or any other file. */
export function isDiskFull(error: unknown): boolean {
  const { errcode = 0, code = '', cause } = error as { errcode?: number; code?: string; cause?: unknown };
  return (
    code === 'ENOSPC' || (errcode & 0xff) === sqliteFull || (cause instanceof Error && isDiskFull(cause))
  );
}

/** Runs `fn`; errors of the disk or the file name the file and what to do. */
export function named<T>(path: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw isStoreError(error) ? new Error(storeProblem(path, error), { cause: error }) : error;
  }
}

/**
 * Wraps an error that was thrown while reading a file whose pages may be damaged, whether SQLite noticed the damage
 * or not.
 */
export function unreadable(path: string, error: unknown): unknown {
  if (isStoreError(error)) return new Error(storeProblem(path, error), { cause: error });
  if (!(error instanceof Error) || error.message.includes(path)) return error;
  return new Error(`${path} is damaged (${error.message}): restore a copy of its folder`, { cause: error });
}

/** Result codes: sqlite.org/rescode.html */
const sqliteReadOnly = 8;
const sqliteIoError = 10;
export const sqliteCorrupt = 11;
const sqliteFull = 13;
const sqliteNotADatabase = 26;
