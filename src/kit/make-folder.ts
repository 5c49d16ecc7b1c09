import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, all with this mode. A folder that exists stays as it is. Node's
 * own recursive mkdir does not end where a file system says of a new folder that it is not found, as /proc does.
 * Errors: those of mkdir.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    if (!isAboveMissing(error, path)) throw error;
    await makeFolder(dirname(path), mode);
    await mkdir(path, { mode }).catch(async (second: unknown) => {
      if (!(await isFolder(path))) throw second;
    });
  }
}

/** As makeFolder. Returns whether the folder is new. */
export function makeFolderSync(path: string, mode = 0o777): boolean {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    if (!isAboveMissing(error, path)) throw error;
    makeFolderSync(dirname(path), mode);
    mkdirSync(path, { mode });
  }
  return true;
}

function isAboveMissing(error: unknown, path: string): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
